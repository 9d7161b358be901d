import { expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import { openTestServer, type RequestOptions, type TestServer } from '../server.ts';

const [A, B, C] = ['http://example.org/a', 'http://example.org/b', 'http://example.org/c'] as const;
const LIST = '/subscriptions/bob/phone';
const DELTA = '/api/2/subscriptions/bob/phone.json';
const ACTIONS = '/api/2/episodes/bob.json';
const play = (podcast: string) => ({ podcast, episode: `${podcast}.mp3`, device: 'phone', action: 'download' });

const as = (app: string): RequestOptions => ({ auth: 'bob:secret', headers: { 'user-agent': app } });

async function call({ request }: TestServer, method: string, path: string, options: RequestOptions): Promise<any> {
  const answer = await request(method, path, options);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text);
}

it.each<[string, (server: TestServer, user: UserId) => Promise<unknown>]>([
  ['a delta by another app', (server) => call(server, 'POST', DELTA, { ...as('Kasts'), body: { add: [B] } })],
  ['a whole list by another app', (server) => call(server, 'PUT', `${LIST}.json`, { ...as('curl'), body: [A, B] })],
  [
    'an import by the operator',
    ({ services }, user) =>
      services.opmlImport.run(user, [{ url: B }], { device: 'phone', replace: false, dryRun: false }),
  ],
  [
    'what is taken over from another server',
    ({ services }, user) => services.pull.take(user, { kind: 'subscriptions', device: 'phone', urls: [B] }),
  ],
])('a device that pulled before it pushed hears of %s to its own list', async (_what, write) => {
  const server = await openTestServer();
  const user = (await server.services.accounts.named('bob'))!.id;
  const phone = as('AntennaPod');
  await call(server, 'POST', DELTA, { ...phone, body: { add: [A] } });
  await call(server, 'GET', DELTA, phone);
  await write(server, user);
  const { timestamp } = await call(server, 'POST', DELTA, { ...phone, body: { add: [C] } });
  expect((await call(server, 'GET', `${DELTA}?since=${timestamp + 1}`, phone)).add).toContain(B);
});

it('a device that pulled before it pushed hears of the actions that another app uploads in its name', async () => {
  const server = await openTestServer();
  const phone = as('AntennaPod');
  await call(server, 'GET', ACTIONS, phone);
  await call(server, 'POST', ACTIONS, { ...as('Kasts'), body: [play(A)] });
  const { timestamp } = await call(server, 'POST', ACTIONS, { ...phone, body: [play(B)] });
  const { actions } = await call(server, 'GET', `${ACTIONS}?since=${timestamp + 1}`, phone);
  expect(actions.map(({ podcast }: { podcast: string }) => podcast)).toContain(A);
});

it('what one app uploads from one device is not sent to it again', async () => {
  const server = await openTestServer();
  const phone = as('AntennaPod');
  await call(server, 'POST', DELTA, { ...phone, body: { add: [A] } });
  await call(server, 'POST', ACTIONS, { ...phone, body: [play(A)] });
  const { timestamp } = await call(server, 'POST', DELTA, { ...phone, body: { add: [B] } });
  expect(await call(server, 'GET', `${DELTA}?since=${timestamp}`, phone)).toMatchObject({ add: [], remove: [] });
  expect(await call(server, 'GET', `${ACTIONS}?since=${timestamp}`, phone)).toMatchObject({ actions: [] });
});
