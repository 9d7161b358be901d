import { expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import { createActionCache } from '../../src/services/listening/action-cache.ts';
import { createPlayback } from '../../src/services/listening/playback.ts';
import { countTurns, useFastTime } from '../event-loop.ts';

it('other requests are answered while a podcast with many played episodes is read', async () => {
  const history = Array.from({ length: 20_000 }, (_, n) => ({
    podcast: 'http://f',
    episode: `http://e/${n}`,
    action: 'new' as const,
    timestamp: n,
  }));
  const actionCache = createActionCache({
    query: async () => ({
      pages: (async function* () {
        yield history;
      })(),
      mark: 7,
    }),
  });
  const dependencies = {
    actionCache: { read: async () => table },
    podcasts: {
      allUrls: async () => new Set(['http://f']),
      findEpisodes: async (_: string, names: readonly string[]) => names.map(() => undefined),
    },
    settings: { favorites: async () => [] },
  } as unknown as Parameters<typeof createPlayback>[0];
  const user = 'bob' as UserId;
  const table = await actionCache.read(user);
  useFastTime();
  const playback = createPlayback(dependencies, () => 1, {});
  const { result, turns } = await countTurns(() => playback.episodes(user, 'http://f'));
  expect(result.size).toBe(20_000);
  expect(turns, 'two passes over the episodes, in slices of 50').toBeGreaterThan((2 * 20_000) / 50 - 20);
});
