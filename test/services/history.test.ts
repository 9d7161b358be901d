import { expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import { ActionTable } from '../../src/services/listening/action-table.ts';
import { createHistory } from '../../src/services/listening/history.ts';
import { countTurns, useFastTime } from '../event-loop.ts';

it('other requests are answered while a long history is selected and downloaded', async () => {
  const table = new ActionTable();
  const episodes = Array.from({ length: 20_000 }, (_, n) => `http://e/${n}`);
  table.add(episodes.map((episode, n) => ({ podcast: 'http://f', episode, action: 'new', timestamp: n })));
  const podcasts = { find: async () => [undefined], findEpisodes: async () => [] };
  const history = createHistory(podcasts, { read: async () => table });
  useFastTime();
  const selected = await countTurns(() => history.export('bob' as UserId, {}));
  expect(selected.turns, 'slices of 50').toBeGreaterThan(20_000 / 50 - 20);
  const downloaded = await countTurns(async () => {
    let actions = 0;
    for await (const page of selected.result) actions += page.length;
    return actions;
  });
  expect(downloaded.result).toBe(20_000);
  expect(downloaded.turns, 'batches of 500').toBeGreaterThan(20_000 / 500 - 5);
});
