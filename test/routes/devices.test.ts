import { expect, it, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { openTestServer } from '../server.ts';
import { signIn } from '../site/browser.ts';

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
  const listed: unknown[] = [];
  for await (const { user, lastSyncAt } of services.administration.list(() => undefined)) {
    listed.push([user.name, lastSyncAt]);
  }
  expect(listed).toEqual([
    ['bob', syncedAt],
    ['eve', undefined],
  ]);
});

it('registering or signing in on the website does not count as a sync of the account', async () => {
  const server = await openTestServer();
  await signIn(server);
  expect((await server.services.administration.show('bob')).lastSyncAt).toBeUndefined();
});

it('the last sync of a device is recorded as soon as it exists, also after it was deleted', async () => {
  const { request, services, clock } = await openTestServer();
  const path = '/api/2/subscriptions/bob/phone.json';
  const { id } = await services.administration.find('bob');
  const syncedAt = async () => (await services.devices.all(id)).map((device) => device.syncedAt);
  for (let round = 0; round < 2; round += 1) {
    expect((await request('GET', path, { auth })).status).toBe(200);
    expect(await syncedAt()).toEqual([]);
    clock.now += 10;
    expect((await request('POST', path, { auth, body: { add: [] } })).status).toBe(200);
    expect(await syncedAt()).toEqual([clock.now]);
    await services.devices.remove(id, 'phone');
  }
});

it('the last sync of a device is recorded also if its app syncs only episodes, or device updates', async () => {
  const { request, services, clock } = await openTestServer();
  const { id } = await services.administration.find('bob');
  const synced = async () => (await services.devices.all(id)).map(({ syncedAt, app }) => [syncedAt, app]);
  const upload = async (...named: string[]) => {
    const actions = named.map((device) => ({
      podcast: 'http://example.org/feed',
      episode: 'http://example.org/1.mp3',
      action: 'download',
      device,
    }));
    const headers = { 'user-agent': 'App/1' };
    expect((await request('POST', '/api/2/episodes/bob.json', { auth, headers, body: actions })).status).toBe(200);
  };
  await upload('phone', 'phone');
  const syncedAt = clock.now;
  expect(await synced()).toEqual([[syncedAt, 'App/1']]);
  clock.now += 7200;
  await upload('phone', 'tv'); // of which device it comes is not known
  await upload('', '');
  expect(await synced()).toEqual([
    [syncedAt, 'App/1'],
    [undefined, undefined],
  ]);
  const headers = { 'user-agent': 'App/2' };
  expect((await request('GET', '/api/2/updates/bob/tv.json', { auth, headers })).status).toBe(200);
  expect(await synced()).toEqual([
    [syncedAt, 'App/1'],
    [clock.now, 'App/2'],
  ]);
});

it('a device syncs, and an app learns why it is refused, even if the storage has no room to record that', async () => {
  const { request, storage } = await openTestServer();
  const full = new StorageError('full', 'no space left');
  vi.spyOn(storage.devices, 'touch').mockRejectedValue(full);
  vi.spyOn(storage.refusals, 'add').mockRejectedValue(full);
  const path = '/api/2/subscriptions/bob/phone.json';
  expect((await request('POST', path, { auth, body: { add: [] } })).status).toBe(200);
  expect((await request('POST', path, { auth, body: { add: 5 } })).status).toBe(400);
});

it('a request for something that does not exist, or of another user, is not recorded as refused', async () => {
  const { request, services } = await openTestServer();
  expect((await request('GET', '/api/2/updates/bob/phone.json', { auth })).status).toBe(404);
  expect((await request('GET', '/subscriptions/bob/phone.json', { auth })).status).toBe(404);
  expect((await request('GET', '/api/2/devices/eve.json', { auth })).status).toBe(403);
  const { id } = await services.administration.find('bob');
  expect(await services.refusals.all(id)).toEqual([]);
});

it('a refused request is recorded without the id of its device if that is invalid', async () => {
  const { request, services } = await openTestServer();
  for (const device of ['phone', 'a%2Fb']) {
    await request('POST', `/api/2/subscriptions/bob/${device}.json`, { auth, body: { add: 5 } });
  }
  const { id } = await services.administration.find('bob');
  const refusals = await services.refusals.all(id);
  expect(refusals.map(({ device }) => device)).toEqual([undefined, 'phone']);
});
