import { expect, it } from 'vitest';
import type { EpisodeAction, UserId } from '../../src/domain/types.ts';
import { createUpdates } from '../../src/services/sync/updates.ts';

it('accepts a page of the storage of any length', async () => {
  const action: EpisodeAction = { podcast: 'http://f', episode: 'http://e', action: 'new', timestamp: 1 };
  const updates = createUpdates(
    {
      actions: {
        append: () => Promise.reject(new Error('unexpected')),
        query: async () => ({
          pages: (async function* () {
            yield Array.from({ length: 300_000 }, () => action);
          })(),
          mark: 7,
        }),
      },
      users: { stableUntil: async () => 7 } as unknown as Parameters<typeof createUpdates>[0]['users'],
      podcasts: {
        find: async (urls: readonly string[]) => urls.map(() => undefined),
        episodesSince: async () => ({ items: [], mark: 7 }),
      } as unknown as Parameters<typeof createUpdates>[0]['podcasts'],
    },
    { list: async () => [], changes: async () => ({ add: [], remove: [], mark: 7 }) } as unknown as Parameters<
      typeof createUpdates
    >[1],
  );
  expect(await updates.since('bob' as UserId, 'phone', 0)).toMatchObject({ episodes: [], mark: 7 });
});
