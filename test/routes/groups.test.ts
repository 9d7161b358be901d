import { describe, expect, it, vi } from 'vitest';
import { ok, openTestServer, type RequestOptions, TARGETS, type TestServer } from '../server.ts';
import { delta, list, SYNC, whole } from './device-requests.ts';

const auth = 'bob:secret';
const ACCOUNT = '/api/2/settings/bob/account.json';
const A = 'http://example.org/a';
const B = 'http://example.org/b';
const C = 'http://example.org/c';

/** A server where bob has the devices `phone` with A, `laptop` with B and `tv` with C. */
async function openWithDevices(target: (typeof TARGETS)[number] = 'in-process'): Promise<TestServer> {
  const server = await openTestServer({}, target);
  await ok(server, 'PUT', whole('phone'), [A]);
  await ok(server, 'PUT', whole('laptop'), [B]);
  await ok(server, 'PUT', whole('tv'), [C]);
  return server;
}

/** Sets the account setting `sync_devices`. */
const turn = (server: TestServer, isOn: unknown): Promise<unknown> =>
  ok(server, 'POST', ACCOUNT, { set: { sync_devices: isOn } });

const groups = async (server: TestServer): Promise<unknown> => (await ok(server, 'GET', SYNC)).synchronized;

describe.each(TARGETS)('devices (%s)', (target) => {
  it('follow each other, and stop', async () => {
    const server = await openWithDevices(target);
    expect(await ok(server, 'GET', SYNC)).toEqual({ synchronized: [], 'not-synchronized': ['phone', 'laptop', 'tv'] });
    expect(await ok(server, 'POST', SYNC, { synchronize: [['laptop', 'phone']], 'stop-synchronize': [] })).toEqual({
      synchronized: [['phone', 'laptop']],
      'not-synchronized': ['tv'],
    });
    expect(await ok(server, 'POST', SYNC, { synchronize: [['tv', 'phone']] })).toEqual({
      synchronized: [['phone', 'laptop', 'tv']],
      'not-synchronized': [],
    });
    expect(await ok(server, 'POST', SYNC, { 'stop-synchronize': ['phone'] })).toEqual({
      synchronized: [['laptop', 'tv']],
      'not-synchronized': ['phone'],
    });
    expect(await ok(server, 'POST', SYNC, { 'stop-synchronize': ['tv'] })).toEqual({
      synchronized: [],
      'not-synchronized': ['phone', 'laptop', 'tv'],
    });
    for (const device of ['phone', 'laptop', 'tv']) expect(await list(server, device)).toEqual([A, B, C]);
  });

  it.each<[string, RequestOptions, number]>([
    [SYNC, {}, 401],
    [SYNC, { auth: 'eve:secret' }, 403],
    ['/api/2/sync-devices/nobody.json', { auth }, 403],
    [SYNC, { auth, body: '[]' }, 400],
    [SYNC, { auth, body: { synchronize: 'phone' } }, 400],
    [SYNC, { auth, body: { synchronize: ['phone', 'laptop'] } }, 400],
    [SYNC, { auth, body: { synchronize: [['phone', 1]] } }, 400],
    [SYNC, { auth, body: { synchronize: [['phone']] } }, 400],
    [SYNC, { auth, body: { synchronize: [['phone', 'phone']] } }, 400],
    [SYNC, { auth, body: { synchronize: [['phone', 'laptop'], []] } }, 400],
    [SYNC, { auth, body: { synchronize: [['phone', 'laptop']], 'stop-synchronize': ['phone'] } }, 400],
    [SYNC, { auth, body: { synchronize: [['phone', 'laptop']], 'stop-synchronize': 'tv' } }, 400],
    [SYNC, { auth, body: { synchronize: [['phone', 'a/b']] } }, 400],
    [SYNC, { auth, body: { synchronize: [Array.from({ length: 101 }, (_, at) => `${at}`)] } }, 413],
    [
      SYNC,
      {
        auth,
        body: {
          synchronize: [
            ['phone', 'laptop'],
            ['phone', 'unknown'],
          ],
        },
      },
      404,
    ],
    [SYNC, { auth, body: { synchronize: [['phone', 'laptop']], 'stop-synchronize': ['unknown'] } }, 404],
  ])('POST %s %j is %d, and no device follows another', async (path, options, status) => {
    const server = await openWithDevices(target);
    expect((await server.request('POST', path, options)).status).toBe(status);
    expect((await ok(server, 'GET', SYNC)).synchronized).toEqual([]);
    expect(await list(server, 'phone')).toEqual([A]);
    expect(await ok(server, 'GET', '/api/2/devices/bob.json')).toHaveLength(3);
  });

  it('explains what groups consist of', async () => {
    const { request } = await openWithDevices(target);
    const answer = await request('POST', SYNC, { auth, body: { synchronize: 'phone' } });
    expect(await answer.text()).toContain('must be an array of arrays of device ids');
  });

  it('names the device that does not exist', async () => {
    const { request } = await openWithDevices(target);
    const body = { synchronize: [['phone', 'laptop']], 'stop-synchronize': ['my car'] };
    const refused = await request('POST', SYNC, { auth, body });
    expect(await refused.json()).toEqual({ code: 404, message: 'the device my car does not exist' });
  });
});

describe('a group', () => {
  it('starts with the union, and each device receives once what is new to it', async () => {
    const server = await openWithDevices();
    await ok(server, 'POST', delta('phone'), { add: [B], remove: [] });
    const marks = new Map<string, number>();
    for (const device of ['phone', 'laptop', 'tv']) {
      marks.set(device, (await ok(server, 'GET', delta(device))).timestamp);
    }
    const changes = async (device: string): Promise<unknown> => {
      const { add, remove, timestamp } = await ok(server, 'GET', `${delta(device)}?since=${marks.get(device)}`);
      marks.set(device, timestamp);
      return { add, remove };
    };
    await ok(server, 'POST', SYNC, { synchronize: [['phone', 'laptop']] });
    expect(await changes('phone')).toEqual({ add: [], remove: [] });
    expect(await changes('laptop')).toEqual({ add: [A], remove: [] });
    expect(await changes('tv')).toEqual({ add: [], remove: [] });

    await ok(server, 'POST', delta('phone'), { add: [C], remove: [A] });
    expect(await changes('laptop')).toEqual({ add: [C], remove: [A] });
    expect(await changes('laptop')).toEqual({ add: [], remove: [] });
    await ok(server, 'PUT', whole('laptop'), [A, C]);
    expect(await changes('phone')).toEqual({ add: [C, A], remove: [B] });
    expect(await changes('tv')).toEqual({ add: [], remove: [] });
    expect(await list(server, 'tv')).toEqual([C]);
  });

  it('of equal lists changes nothing', async () => {
    const server = await openWithDevices();
    await ok(server, 'PUT', whole('laptop'), [A]);
    const { timestamp } = await ok(server, 'GET', delta('phone'));
    await ok(server, 'POST', SYNC, { synchronize: [['phone', 'laptop']] });
    expect(await ok(server, 'GET', delta('phone'))).toMatchObject({ timestamp });
  });

  it('is not skipped by a device that uploads right after', async () => {
    const server = await openWithDevices();
    server.clock.now += 1000; // so that later uploads do not overlap with these three
    await ok(server, 'POST', SYNC, { synchronize: [['phone', 'laptop']] });
    const { timestamp } = await ok(server, 'POST', delta('laptop'), { add: [C], remove: [] });
    // Kasts stores the mark + 1.
    expect((await ok(server, 'GET', `${delta('laptop')}?since=${timestamp + 1}`)).add).toContain(A);
  });

  it('continues when a device leaves, and that device is independent', async () => {
    const server = await openWithDevices();
    await ok(server, 'POST', SYNC, { synchronize: [['phone', 'laptop', 'tv']] });
    await ok(server, 'POST', SYNC, { 'stop-synchronize': ['tv'] });
    await ok(server, 'PUT', whole('tv'), [C]);
    await ok(server, 'POST', delta('phone'), { add: [], remove: [C] });
    expect(await list(server, 'laptop')).toEqual([A, B]);
    expect(await list(server, 'tv')).toEqual([C]);
  });
});

describe('the account setting sync_devices', () => {
  it('groups all devices, and false separates them', async () => {
    const server = await openWithDevices();
    await turn(server, true);
    expect(await groups(server)).toEqual([['phone', 'laptop', 'tv']]);
    expect(await list(server, 'tv')).toEqual([A, B, C]);
    const refused = await server.request('POST', SYNC, { auth, body: { 'stop-synchronize': ['tv'] } });
    expect([refused.status, await groups(server)]).toEqual([409, [['phone', 'laptop', 'tv']]]);
    await turn(server, false);
    expect(await groups(server)).toEqual([]);
    expect(await list(server, 'tv')).toEqual([A, B, C]);
  });

  it.each(['true', 1, null, [true]])('has no effect with the value %j', async (value) => {
    const server = await openWithDevices();
    await ok(server, 'POST', SYNC, { synchronize: [['phone', 'laptop']] });
    await turn(server, value);
    await ok(server, 'POST', ACCOUNT, { set: { another: true }, remove: ['sync_devices'] });
    expect(await groups(server)).toEqual([['phone', 'laptop']]);
  });

  it('is not switched by another setting, or by the same key of a podcast', async () => {
    const server = await openWithDevices();
    await turn(server, false);
    await ok(server, 'POST', SYNC, { synchronize: [['phone', 'laptop']] });
    await ok(server, 'POST', ACCOUNT, { set: { another: true } });
    const ofPodcast = `/api/2/settings/bob/podcast.json?podcast=${A}`;
    for (const sync_devices of [true, false]) await ok(server, 'POST', ofPodcast, { set: { sync_devices } });
    expect(await groups(server)).toEqual([['phone', 'laptop']]);
  });

  it.each([true, false])(
    'is %s when that was set last, whichever of two simultaneous requests ends first',
    async (last) => {
      const server = await openWithDevices();
      await turn(server, last);
      const { devices } = server.storage;
      const synchronize = devices.synchronize.bind(devices);
      vi.spyOn(devices, 'synchronize').mockImplementationOnce(async (...change) => {
        await turn(server, last);
        return synchronize(...change);
      });
      await turn(server, !last);
      expect(await groups(server)).toEqual(last ? [['phone', 'laptop', 'tv']] : []);
    },
  );

  it.each([true, false])('is %s for all other devices when one is removed at the same moment', async (isOn) => {
    const server = await openWithDevices();
    await turn(server, !isOn);
    const { devices } = server.storage;
    const synchronize = devices.synchronize.bind(devices);
    vi.spyOn(devices, 'synchronize').mockImplementationOnce(async (user, ...change) => {
      await devices.delete(user, 'tv');
      return synchronize(user, ...change);
    });
    await turn(server, isOn);
    expect(await groups(server)).toEqual(isOn ? [['phone', 'laptop']] : []);
  });

  it.each<[string, string, string, unknown]>([
    ['a whole list', 'PUT', whole('new'), [C]],
    ['a delta', 'POST', delta('new'), { add: [C], remove: [A] }],
    ['an update', 'POST', '/api/2/devices/bob/new.json', { caption: 'x' }],
    ['an action', 'POST', '/api/2/episodes/bob.json', [{ podcast: A, episode: A, action: 'play', device: 'new' }]],
  ])('adds a device that %s creates, and removes nothing', async (_what, method, path, body) => {
    const server = await openTestServer();
    await turn(server, true);
    await ok(server, 'PUT', whole('phone'), [A]);
    await ok(server, 'PUT', whole('laptop'), [B]);
    server.clock.now += 1000; // so that later uploads do not overlap with these two
    const before = await ok(server, 'GET', `${delta('phone')}?since=0`);
    const pulled = await ok(server, 'GET', `${delta('new')}?since=0`);
    const { timestamp = pulled.timestamp } = (await ok(server, method, path, body)) || {};
    expect(await groups(server)).toEqual([['phone', 'laptop', 'new']]);

    const own = ['a whole list', 'a delta'].includes(_what) ? [C] : [];
    for (const device of ['phone', 'laptop', 'new']) expect(await list(server, device)).toEqual([A, B, ...own]);
    const changes = await ok(server, 'GET', `${delta('phone')}?since=${before.timestamp}`);
    expect(changes).toMatchObject({ add: own, remove: [] });
    // It receives all other changes with the mark of its upload, of an earlier response, or with either plus one (Kasts).
    for (const since of [timestamp, timestamp + 1, pulled.timestamp]) {
      const { add, remove } = await ok(server, 'GET', `${delta('new')}?since=${since}`);
      expect([add.toSorted(), remove]).toEqual([[A, B, ...own], []]);
    }
    const pushed = await ok(server, 'POST', delta('new'), { add: ['http://example.org/d'], remove: [] });
    expect((await ok(server, 'GET', `${delta('new')}?since=${pushed.timestamp + 1}`)).add).toContain(A);
  });
});
