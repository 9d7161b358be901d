import { describe, expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { openVisitor } from '../site/browser.ts';

const IP = '203.0.113.7';

/** A server behind a proxy. */
async function open() {
  const server = await openTestServer({ trustProxy: true });
  const request = (path: string, auth?: string, ip = IP) =>
    server.request('GET', path, { headers: { 'x-forwarded-for': ip }, ...(auth !== undefined && { auth }) });
  return { ...server, request };
}

describe('a failed login is logged with its address', () => {
  it.each([
    ['bob:typed', 'wrong password for bob'],
    ['BOB:typed', 'wrong password for bob'],
    ['nobody:typed', 'unknown user'],
    [`${'x'.repeat(300)}:typed`, 'unknown user'],
  ])('%s: %s', async (auth, reason) => {
    const { request, logged } = await open();
    expect((await request('/api/2/devices/bob.json', auth)).status).toBe(401);
    expect(logged).toEqual([`Failed login from ${IP}: ${reason}`]);
  });

  it.each([
    ['2001:db8:0:0:0:0:0:7', '2001:db8::7'],
    ['::ffff:203.0.113.7', IP],
    ['203.0.113.7:4711', IP],
    ['[2001:db8::7]', '2001:db8::7'],
    [`1.2.3.4, ${IP}`, IP], // the client may have sent the first one
    [' [warn] Failed login from 198.51.100.1: unknown user', '-'],
  ])('from %s', async (sent, ip) => {
    const { request, logged } = await open();
    await request('/api/2/devices/bob.json', 'bob:typed', sent);
    expect(logged).toEqual([`Failed login from ${ip}: wrong password for bob`]);
  });

  it('also at the logins of the oldest apps and of the website', async () => {
    const server = await openTestServer();
    await server.request('GET', '/getlist?username=bob&password=typed');
    await openVisitor(server).send('/login', { name: 'bob', password: 'typed' });
    const visitor = openVisitor(server);
    await visitor.send('/login', { name: 'bob', password: 'secret' });
    await visitor.send('/settings', { password: 'typed' }, 'http://localhost/settings/delete');
    expect(server.logged).toEqual(Array(3).fill('Failed login from -: wrong password for bob'));
  });

  it('also after too many, but not if the password is right or missing', async () => {
    const { request, logged } = await open();
    for (let at = 0; at < 12; at++) await request('/api/2/devices/bob.json', 'bob:typed');
    expect(logged).toEqual([
      ...Array(10).fill(`Failed login from ${IP}: wrong password for bob`),
      ...Array(2).fill(`Failed login from ${IP}: too many attempts`),
    ]);
    await request('/api/2/devices/bob.json');
    await request('/api/2/devices/eve.json', 'eve:secret');
    expect(logged).toHaveLength(12);
  });
});

it('what was typed is never logged, as it may be the password', async () => {
  const { request, logged } = await open();
  await request('/api/2/devices/bob.json', 'typed:typed');
  await request('/api/2/devices/bob.json', 'bob:typed');
  expect(logged).toHaveLength(2);
  expect(logged.join()).not.toContain('typed');
});
