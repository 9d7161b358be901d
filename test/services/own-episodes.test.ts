import { expect, it, vi } from 'vitest';
import { hasEpisode } from '../../src/services/directory/own-episodes.ts';
import { openTestServer } from '../server.ts';

it('reads the history once to find an action on an episode, however many former URLs its podcast has', async () => {
  const { storage } = await openTestServer();
  const bob = (await storage.users.find('bob'))!.id;
  const urls = Array.from({ length: 5 }, (_, n) => `https://podcasts.example/${n}`);
  await storage.actions.append(bob, [
    { podcast: urls[3]!, episode: 'https://a.example/1', action: 'new', timestamp: 1 },
    { podcast: 'https://podcasts.example/other', episode: 'https://a.example/2', action: 'new', timestamp: 1 },
  ]);
  const query = vi.spyOn(storage.actions, 'query');
  const has = (episode: string): Promise<boolean> => hasEpisode(storage, bob, urls[0]!, episode);
  expect(await has('https://a.example/1')).toBe(false); // the directory does not know the podcast
  vi.spyOn(storage.podcasts, 'allUrls').mockResolvedValue(new Set(urls));
  query.mockClear();
  expect(await has('https://a.example/1')).toBe(true);
  expect(await has('https://a.example/2')).toBe(false);
  expect(query).toHaveBeenCalledTimes(2);
});
