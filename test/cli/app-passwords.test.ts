import { expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { run, startServer } from './podsync.ts';

async function setUp() {
  const server = await startServer();
  const user = (...args: readonly string[]) => run(['user', ...args, '--data', server.data]);
  await run(['user', 'add', 'bob', '--password-stdin', '--data', server.data], { input: 'secret' });
  const statusWith = async (password: string): Promise<number> => {
    const authorization = `Basic ${Buffer.from(`bob:${password}`).toString('base64')}`;
    const headers = { authorization, 'user-agent': 'AntennaPod/3.5' };
    return (await fetch(`${server.url}/api/2/devices/bob.json`, { headers })).status;
  };
  return { server, user, statusWith };
}

it('an app password is the only output, is listed and shown with its account, and can be revoked at once', async () => {
  const { user, statusWith } = await setUp();
  const added = await user('app-password', 'add', 'bob', '--label', 'My phone');
  expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('not shown again') });
  const secret = added.stdout.trim();
  expect(secret).toMatch(/^[a-z0-9-]{35}$/);
  expect(await statusWith(secret)).toBe(200);

  const listed = await user('app-password', 'list', 'bob', '--json');
  const [own] = JSON.parse(listed.stdout);
  expect(own).toMatchObject({ label: 'My phone', app: 'AntennaPod/3.5', address: '127.0.0.1' });
  expect((await user('app-password', 'list', 'bob')).stdout).toMatch(/^ID +LABEL .*\n\w+ +My phone /);
  const shown = await user('show', 'bob');
  expect(shown.stdout).toMatch(new RegExp(`^${own.id} +My phone +AntennaPod/3.5`, 'm'));
  expect(shown.stdout + listed.stdout).not.toContain(secret);

  expect(await user('app-password', 'revoke', 'bob', own.id)).toMatchObject({ code: 0 });
  expect(await statusWith(secret)).toBe(401);
  expect(await user('app-password', 'revoke', 'bob', own.id)).toMatchObject({
    code: 1,
    stderr: '[error] the account has no app password with this id\n',
  });
});

it('an id that would be part of a path revokes nothing', async () => {
  const { user } = await setUp();
  for (const id of ['', '.', '..', '../..', '%2e%2e']) {
    expect(await user('app-password', 'revoke', 'bob', id)).toMatchObject({
      code: 1,
      stderr: '[error] the account has no app password with this id\n',
    });
  }
  expect(await user('show', 'bob')).toMatchObject({ code: 0 });
});

it('an app password requires a label', async () => {
  const { user } = await setUp();
  expect(await user('app-password', 'add', 'bob')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--label'),
  });
  expect(await user('app-password', 'add', 'bob', '--label', ' ')).toMatchObject({
    code: 1,
    stderr: '[error] the name of the app is empty\n',
  });
});

it('an invitation and a reset print a link to the address of the server', async () => {
  const { server, user } = await setUp();
  for (const args of [['invite', 'carol', '--email', 'c@example.org'], ['invite'], ['reset', 'BOB']]) {
    const { code, stdout, stderr } = await user(...args);
    expect([code, stdout.split('/welcome/')[0]]).toEqual([0, server.url]);
    expect(stderr).toMatch(/\[warn\] It works only on this machine\..* user reset \S+ .*--base-url ADDRESS\n/);
    expect((await fetch(stdout.trim())).status).toBe(200);
  }
  const users = JSON.parse((await user('list', '--json')).stdout);
  expect(users).toContainEqual(expect.objectContaining({ name: 'carol', email: 'c@example.org' }));
  expect((await user('invite', 'bob')).stderr).toContain('already');
  // Someone who was invited has no password yet.
  expect((await user('reset', 'carol')).stderr).toContain('Until then, the old one still works, if there is one:\n');
});

it('a link starts with the given base URL, also without a server', async () => {
  const { server, user } = await setUp();
  server.kill('SIGTERM');
  await server.ended;
  const { stdout, stderr } = await user('reset', 'bob', '--base-url', 'https://pods.example.org/sub');
  expect(stdout).toMatch(/^https:\/\/pods\.example\.org\/sub\/welcome\/\S+\n$/);
  expect(stderr).not.toContain('[warn]');
});

it('a link without a server and a base URL has the default address, and a warning says how to print another', async () => {
  const data = await makeFolder();
  const { stdout, stderr } = await run(['user', 'invite', 'bob', '--data', data]);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:3000\/welcome\//);
  expect(stderr).toMatch(
    /\[warn\] No server is running\. If its address will not be http:\/\/127\.0\.0\.1:3000, print another one with: .* user reset bob --data \S+ --base-url ADDRESS\n/,
  );
});
