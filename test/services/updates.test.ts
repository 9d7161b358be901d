import { expect, it } from 'vitest';
import type { EpisodeAction, Url, UserId } from '../../src/domain/types.ts';
import { createUpdates } from '../../src/services/sync/updates.ts';
import { countTurns, useFastTime } from '../event-loop.ts';

type Dependencies = Parameters<typeof createUpdates>;

/** The updates of a device with these subscriptions, in an account with this history. The directory knows nothing. */
function openUpdates(history: EpisodeAction[], list: Url[], { account = 7, directory = 7 } = {}) {
  return createUpdates(
    {
      actions: {
        append: () => Promise.reject(new Error('unexpected')),
        query: async () => ({
          pages: (async function* () {
            yield history;
          })(),
          mark: 7,
        }),
      },
      users: { stableUntil: async () => account } as unknown as Dependencies[0]['users'],
      podcasts: {
        find: async (urls: readonly string[]) => urls.map(() => undefined),
        allUrls: async (url: Url) => new Set([url]),
        findEpisodes: async (_: Url, names: readonly string[]) => names.map(() => undefined),
        episodesSince: async () => ({ items: [], mark: directory }),
      } as unknown as Dependencies[0]['podcasts'],
    },
    { list: async () => list, changes: async () => ({ add: [], remove: [], mark: 7 }) } as unknown as Dependencies[1],
  );
}

const action: EpisodeAction = { podcast: 'http://f', episode: 'http://e', action: 'new', timestamp: 1 };

it('accepts a page of the storage of any length', async () => {
  const updates = openUpdates(
    Array.from({ length: 300_000 }, () => action),
    [],
  );
  const { pages, mark } = await updates.since('bob' as UserId, 'phone', 0);
  for await (const page of pages) expect(page, 'a device without feeds').toBeUndefined();
  expect(mark).toBe(7);
});

it.each([
  [5, 7],
  [7, 5],
])(
  'the mark is neither above that of the account, %d, nor above that of the directory, %d',
  async (account, directory) => {
    const updates = openUpdates([], [], { account, directory });
    expect(await updates.since('bob' as UserId, 'phone', 0)).toMatchObject({ mark: 5 });
  },
);

it('other requests are answered while a long history is searched for updates', async () => {
  const history = Array.from({ length: 10_000 }, (_, n) => ({ ...action, episode: `http://e/${n}` }));
  useFastTime();
  const updates = openUpdates(history, ['http://f']);
  const { result, turns } = await countTurns(() => updates.since('bob' as UserId, 'phone', 0));
  for await (const page of result.pages) expect(page).toHaveLength(50);
  const passes = 10_000 / 50 + 10_000 / 500;
  expect(turns, 'a pass over the history in slices of 50, one in batches of 500').toBeGreaterThan(passes - 10);
});
