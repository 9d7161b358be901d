import { describe, expect, it, vi } from 'vitest';
import { logIn, openTestServer, type TestServer } from '../server.ts';

const DEVICES = '/api/2/devices/bob.json';

describe('wrong passwords', () => {
  const trials = async (
    { request }: TestServer,
    count: number,
    login: (trial: number) => string,
  ): Promise<number[]> => {
    const statuses: number[] = [];
    for (let trial = 0; trial < count; trial++) {
      statuses.push((await request('GET', DEVICES, { auth: login(trial) })).status);
    }
    return statuses;
  };

  it('are refused with 429 after ten within five minutes, as is the right one, without affecting other users', async () => {
    const server = await openTestServer();
    expect(await trials(server, 10, () => 'bob:wrong')).toEqual(Array(10).fill(401));
    server.clock.now += 100;
    const refused = await server.request('GET', DEVICES, { auth: 'bob:secret' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '200']);
    expect((await server.request('GET', '/api/2/devices/eve.json', { auth: 'eve:secret' })).status).toBe(200);
    server.clock.now += 200;
    expect((await server.request('GET', DEVICES, { auth: 'bob:secret' })).status).toBe(200);
  });

  it('count together for a name in any letter case', async () => {
    const statuses = await trials(await openTestServer(), 11, (trial) => `${['bob', 'BOB'][trial % 2]}:wrong`);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  it('are refused with 429 after a hundred from one address', async () => {
    const server = await openTestServer({ trustProxy: true });
    const statuses = await trials(server, 101, (trial) => `user${trial}:wrong`);
    expect(statuses).toEqual([...Array(100).fill(401), 429]);
    const headers = { 'x-forwarded-for': '10.1.1.1, 192.0.2.7' };
    expect((await server.request('GET', DEVICES, { auth: 'bob:secret', headers })).status).toBe(200);
  });

  it('count while they are still being checked', async () => {
    const { request } = await openTestServer();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => request('GET', DEVICES, { auth: `bob:wrong${at}` })),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  it('count while they are still being checked, whatever the names', async () => {
    const { request } = await openTestServer();
    const guess = (at: number): Promise<Response> => request('GET', DEVICES, { auth: `user${at}:wrong` });
    const answers = await Promise.all(Array.from({ length: 150 }, (_, at) => guess(at)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(50);
  });

  it('are counted together for an IPv6 network, and whatever port a proxy adds', async () => {
    for (const [from, same] of [
      [(at: number) => `2001:db8:1:2::${at}`, '2001:db8:1:2:ffff::1'],
      [(at: number) => `192.0.2.7:${5000 + at}`, '192.0.2.7'],
    ] as const) {
      const { request } = await openTestServer({ trustProxy: true });
      const guess = (address: string, password: string): Promise<Response> =>
        request('GET', DEVICES, { auth: `bob:${password}`, headers: { 'x-forwarded-for': address } });
      for (let at = 1; at <= 10; at++) expect((await guess(from(at), 'wrong')).status).toBe(401);
      for (const last of [from(11), same]) expect((await guess(last, 'secret')).status).toBe(429);
      for (const other of ['2001:db8:1:3::1', '::ffff:192.0.2.8']) {
        expect((await guess(other, 'secret')).status).toBe(200);
      }
    }
  });

  it('of an impossible name are not even counted', async () => {
    const server = await openTestServer();
    const add = vi.spyOn(server.storage.attempts, 'add');
    expect(await trials(server, 12, () => `${'x'.repeat(251)}:wrong`)).toEqual(Array(12).fill(401));
    expect(add).not.toHaveBeenCalled();
  });

  it('are not looked up for a cookie, nor for a password that was right recently', async () => {
    const server = await openTestServer();
    const cookie = await logIn(server);
    const { attempts } = server.storage;
    const calls = (['add', 'wait', 'refund'] as const).map((verb) => vi.spyOn(attempts, verb));
    for (const credentials of [{ cookie }, { auth: 'bob:secret' }]) {
      expect((await server.request('GET', DEVICES, credentials)).status).toBe(200);
    }
    for (const verb of calls) expect(verb).not.toHaveBeenCalled();
    expect((await server.request('GET', DEVICES, { auth: 'bob:wrong' })).status).toBe(401);
    expect(calls[0]).toHaveBeenCalled();
  });

  it('do not include right ones of many simultaneous users at one address', async () => {
    const { request, storage } = await openTestServer();
    const { passwordHash } = (await storage.users.find('bob'))!;
    const names = Array.from({ length: 120 }, (_, at) => `user${at}`);
    for (const name of names) await storage.users.create({ name, passwordHash });
    const logIns = names.map((name) => request('GET', `/api/2/devices/${name}.json`, { auth: `${name}:secret` }));
    expect((await Promise.all(logIns)).map(({ status }) => status)).toEqual(Array(120).fill(200));
  });

  it('do not include simultaneous right ones, however many', async () => {
    const { request } = await openTestServer();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => request('GET', DEVICES, { auth: 'bob:secret' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  });

  it('do not include missing ones', async () => {
    const { request } = await openTestServer();
    for (let trial = 0; trial < 20; trial++) expect((await request('GET', DEVICES)).status).toBe(401);
    expect((await request('GET', DEVICES, { auth: 'bob:secret' })).status).toBe(200);
  });
});
