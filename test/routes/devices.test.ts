import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';

const auth = 'bob:secret';
const DEVICES = '/api/2/devices/bob.json';
const PHONE = '/api/2/devices/bob/phone.json';

it('changes only the given fields, and returns nothing', async () => {
  const { request } = await openTestServer();
  const list = async (): Promise<unknown> => (await request('GET', DEVICES, { auth })).json();
  for (const [method, body, expected] of [
    ['POST', '', { caption: '', type: 'other' }],
    ['POST', { caption: 'My phone', type: 'mobile' }, { caption: 'My phone', type: 'mobile' }],
    ['PUT', { type: 'laptop' }, { caption: 'My phone', type: 'laptop' }],
    ['POST', { caption: '' }, { caption: '', type: 'laptop' }],
    ['POST', {}, { caption: '', type: 'laptop' }],
    ['POST', { caption: '😀'.repeat(255), colour: 'red' }, { caption: '😀'.repeat(255), type: 'laptop' }],
    ['POST', { caption: 'cut \ud83d' }, { caption: 'cut \ufffd', type: 'laptop' }],
  ] as const) {
    const answer = await request(method, PHONE, { auth, body });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(await list()).toEqual([{ id: 'phone', ...expected, subscriptions: 0 }]);
  }
});

it.each([
  [{ type: 'fridge' }],
  [{ type: null }],
  [{ caption: 5 }],
  [{ caption: 'x'.repeat(256) }],
  [{ caption: 'x', type: 'MOBILE' }],
])('refuses %j', async (body) => {
  const { request } = await openTestServer();
  expect((await request('POST', PHONE, { auth, body })).status).toBe(400);
  expect(await (await request('GET', DEVICES, { auth })).json()).toEqual([]);
});

it('keeps the devices of users separate', async () => {
  const { request } = await openTestServer();
  await request('POST', PHONE, { auth, body: { caption: 'of bob' } });
  expect((await request('POST', PHONE, { auth: 'eve:secret', body: {} })).status).toBe(403);
  expect(await (await request('GET', '/api/2/devices/eve.json', { auth: 'eve:secret' })).json()).toEqual([]);
});

it('the last sync of the account is that of its devices, also after a new password has ended all sessions', async () => {
  const { request, services, clock } = await openTestServer();
  await request('GET', '/api/2/subscriptions/bob/phone.json', { auth });
  await request('POST', PHONE, { auth, body: {} });
  await request('GET', '/api/2/subscriptions/bob/phone.json?since=0', { auth });
  const syncedAt = clock.now;
  await services.administration.setPassword('bob', 'another secret');
  clock.now += 86_400;
  expect((await services.administration.show('bob')).lastSyncAt).toBe(syncedAt);
  for await (const { user, lastSyncAt } of services.administration.list()) {
    expect([user.name, lastSyncAt]).toEqual([user.name, user.name === 'bob' ? syncedAt : undefined]);
  }
});
