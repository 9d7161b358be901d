import { expect, it, vi } from 'vitest';
import { findOwnEpisode } from '../../src/services/directory/own-episodes.ts';
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
  const find = (episode: string) => findOwnEpisode(storage, bob, { podcast: urls[0]!, episode });
  expect(await find('https://a.example/1')).toBeUndefined(); // the directory does not know the podcast
  vi.spyOn(storage.podcasts, 'allUrls').mockResolvedValue(new Set(urls));
  query.mockClear();
  expect(await find('https://a.example/1')).toMatchObject({ episode: 'https://a.example/1' });
  expect(await find('https://a.example/2')).toBeUndefined();
  expect(query).toHaveBeenCalledTimes(2);
});

it('names an episode by its last GUID, even if the first and the last action have none', async () => {
  const { storage } = await openTestServer();
  const bob = (await storage.users.find('bob'))!.id;
  const name = { podcast: 'https://podcasts.example/1', episode: 'https://a.example/1' };
  let timestamp = 0;
  for (const guid of [undefined, 'former', 'current', undefined]) {
    await storage.actions.append(bob, [{ ...name, guid, action: 'new', timestamp: ++timestamp }]);
  }
  expect(await findOwnEpisode(storage, bob, name)).toMatchObject({ ...name, guid: 'current' });
});
