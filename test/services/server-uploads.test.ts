import { expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import type { Services } from '../../src/services/services.ts';
import { ok, openTestServer } from '../server.ts';

const [A, B, C] = ['http://example.org/a', 'http://example.org/b', 'http://example.org/c'] as const;
const DELTA = '/api/2/subscriptions/bob/phone.json';
const ACTIONS = '/api/2/episodes/bob.json';
const play = (podcast: string) => ({ podcast, episode: `${podcast}.mp3`, device: 'phone', action: 'download' });

it.each<[string, (services: Services, user: UserId) => Promise<unknown>]>([
  [
    'of an import that adds',
    ({ opmlImport }, user) => opmlImport.run(user, [{ url: B }], { device: 'phone', replace: false, dryRun: false }),
  ],
  [
    'of an import that replaces the list',
    ({ opmlImport }, user) =>
      opmlImport.run(user, [{ url: A }, { url: B }], { device: 'phone', replace: true, dryRun: false }),
  ],
  [
    'that is pulled from another server',
    ({ pull }, user) => pull.importChunk(user, { kind: 'subscriptions', device: 'phone', urls: [B] }),
  ],
])('a device that pulled before it pushed receives the feed %s', async (_what, write) => {
  const server = await openTestServer();
  const user = (await server.services.accounts.findByName('bob'))!.id;
  await ok(server, 'POST', DELTA, { add: [A] });
  await ok(server, 'GET', DELTA);
  await write(server.services, user);
  const { timestamp } = await ok(server, 'POST', DELTA, { add: [C] });
  expect((await ok(server, 'GET', `${DELTA}?since=${timestamp + 1}`)).add).toContain(B);
});

it('a device that pulled before it pushed receives the actions imported in its name', async () => {
  const server = await openTestServer();
  const user = (await server.services.accounts.findByName('bob'))!.id;
  await ok(server, 'GET', ACTIONS);
  await server.services.pull.importChunk(user, {
    kind: 'actions',
    actions: [{ ...play(A), timestamp: '2023-01-01T00:00:00' }],
  });
  const { timestamp } = await ok(server, 'POST', ACTIONS, [play(B)]);
  const { actions } = await ok(server, 'GET', `${ACTIONS}?since=${timestamp + 1}`);
  expect(actions.map(({ podcast }: { podcast: string }) => podcast)).toContain(A);
});
