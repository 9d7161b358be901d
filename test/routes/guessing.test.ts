import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/domain/errors.ts';
import type { Hasher } from '../../src/services/accounts/hasher.ts';
import { openTestServer, quickHasher, type TestServer } from '../server.ts';

const HOME = '192.0.2.1';
const AWAY = '198.51.100.7';
/** Networks of one customer of a provider, and of as many customers as there are numbers. */
const inOneSite = (at: number): string => `2001:db8:1:${at.toString(16)}::1`;
const inManySites = (at: number): string => `2001:db8:${at.toString(16)}::1`;

/** A server behind a proxy, with an e-mail address for bob. */
async function open(hasher: Hasher = quickHasher): Promise<TestServer> {
  const server = await openTestServer({ trustProxy: true, users: ['eve'], hasher });
  await server.services.accounts.create({ name: 'bob', email: 'bob@example.org', password: 'secret' });
  return server;
}

const logIn = ({ request }: TestServer, login: string, password: string, from: string): Promise<Response> => {
  const headers = { 'x-forwarded-for': from };
  return request('POST', '/api/2/auth/bob/login.json', { auth: `${login}:${password}`, headers });
};

const statusOf = async (...login: Parameters<typeof logIn>): Promise<number> => (await logIn(...login)).status;

/** The statuses of wrong passwords, one after another. */
async function guess(server: TestServer, count: number, login: (at: number) => string, from: (at: number) => string) {
  const statuses: number[] = [];
  for (let at = 0; at < count; at++) statuses.push(await statusOf(server, login(at), 'wrong', from(at)));
  return statuses;
}

const timesOf = (statuses: readonly number[], status: number): number =>
  statuses.filter((each) => each === status).length;

describe('guesses at one account from many networks', () => {
  it.each([
    ['of one site', inOneSite],
    ['of many sites', inManySites],
    ['of IPv4', (at: number) => `203.0.113.${at}`],
  ])('%s are refused with 429 after fifty within fifteen minutes', async (_, from) => {
    const server = await open();
    const guesses = Array.from({ length: 150 }, (_each, at) => statusOf(server, 'bob', `wrong${at}`, from(at)));
    const statuses = await Promise.all(guesses);
    expect([timesOf(statuses, 401), timesOf(statuses, 429)]).toEqual([50, 100]);
    server.clock.now += 100;
    const refused = await logIn(server, 'bob', 'secret', AWAY);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '800']);
    expect(await statusOf(server, 'eve', 'secret', AWAY)).toBe(403); // authenticated, but this is a path of bob
    server.clock.now += 800;
    expect(await statusOf(server, 'bob', 'secret', AWAY)).toBe(200);
  });

  it('count together for its name and its e-mail address, in any letter case', async () => {
    const server = await open();
    const names = ['bob', 'BOB', 'bob@example.org', 'Bob@Example.org'];
    const statuses = await guess(server, 60, (at) => names[at % names.length]!, inManySites);
    expect(statuses).toEqual([...Array(50).fill(401), ...Array(10).fill(429)]);
  });

  it('are answered the same for an unknown name, in any letter case', async () => {
    const NAMES = [
      ['bob', 'Bob'],
      ['unknown', 'Unknown'],
    ];
    const server = await open();
    const [bob, unknown] = [await open(), server].map((each, at) =>
      guess(each, 60, (trial) => NAMES[at]![trial % 2]!, inManySites),
    );
    expect(await unknown).toEqual(await bob);
  });

  it('do not lock out a network with a login within the last month', async () => {
    const server = await open();
    expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(200);
    server.clock.now += 29 * 86_400;
    expect((await guess(server, 51, () => 'bob', inManySites)).at(-1)).toBe(429);
    expect(await statusOf(server, 'bob', 'secret', AWAY)).toBe(429);
    expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(200);
    expect(
      await guess(
        server,
        11,
        () => 'bob',
        () => HOME,
      ),
    ).toEqual([...Array(10).fill(401), 429]);
  });

  it('lock out a network whose last successful login is older', async () => {
    const server = await open();
    expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(200);
    server.clock.now += 30 * 86_400;
    await guess(server, 51, () => 'bob', inManySites);
    expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(429);
  });

  it('do not include those of an app with an old password', async () => {
    const server = await open();
    for (let round = 0; round < 6; round++) {
      await guess(
        server,
        20,
        () => 'bob',
        () => HOME,
      );
      server.clock.now += 300;
    }
    expect(await statusOf(server, 'bob', 'secret', AWAY)).toBe(200);
  });

  it('are compared one by one, and do not delay logins of others', async () => {
    let under = 0;
    let openGate = (): void => undefined;
    const gate = new Promise<void>((resolve) => (openGate = resolve));
    const server = await open({
      ...quickHasher,
      async compare(password, known) {
        if (password !== 'secret') {
          under += 1;
          await gate;
        }
        return quickHasher.compare(password, known);
      },
    });
    expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(200);
    const guesses = Array.from({ length: 100 }, (_, at) => statusOf(server, 'bob', `wrong${at}`, inManySites(at)));
    expect(await statusOf(server, 'eve', 'secret', AWAY)).toBe(403);
    expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(200);
    expect(under).toBe(1);
    openGate();
    await Promise.all(guesses);
  });
});

it('guesses from one IPv6 site are refused with 429 after two hundred, but not in its known networks', async () => {
  const server = await open();
  expect(await statusOf(server, 'bob', 'secret', '2001:db8:1:ffff::1')).toBe(200);
  const statuses = await guess(server, 201, (at) => `user${at}`, inOneSite);
  expect(statuses).toEqual([...Array(200).fill(401), 429]);
  expect(await statusOf(server, 'bob', 'secret', '2001:db8:1:ffff::2')).toBe(200);
  expect(await statusOf(server, 'bob', 'secret', '2001:db8:1:fffe::1')).toBe(429);
  expect(await statusOf(server, 'bob', 'secret', '2001:db8:2:1::1')).toBe(200);
});

describe('while too many passwords are checked at once', () => {
  const BUSY = { ...quickHasher, compare: () => Promise.reject(new Refusal('busy', 'too many at once', 5)) };

  it.each([
    ['POST', '/api/2/auth/bob/login.json', { auth: 'bob:secret' }],
    ['GET', '/subscriptions/bob.txt', { auth: 'bob:secret' }],
    ['GET', '/getlist?username=bob&password=secret', {}],
    ['GET', '/api/2/data/podcast.json?url=http://example.org/own', { auth: 'bob:secret' }],
  ])('%s %s is a 503 with Retry-After', async (method, path, options) => {
    const { request } = await open(BUSY);
    const answer = await request(method, path, options);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.text()).toContain('too many at once');
  });

  it('a login that was not checked does not count as a wrong one', async () => {
    let isBusy = true;
    const compare: Hasher['compare'] = (...pair) => (isBusy ? BUSY.compare() : quickHasher.compare(...pair));
    const server = await open({ ...quickHasher, compare });
    for (let at = 0; at < 12; at++) expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(503);
    isBusy = false;
    expect(await statusOf(server, 'bob', 'secret', HOME)).toBe(200);
  });
});
