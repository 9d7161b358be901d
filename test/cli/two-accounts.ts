import { expect } from 'vitest';
import { makeCopy, run, startServer } from './podsync.ts';

export const FEED = 'https://feeds.example/1';
const OPML = `<opml version="2.0"><head/><body><outline type="rss" xmlUrl="${FEED}"/></body></opml>`;

/** A data folder with the accounts bob and eve, each with a phone that has the same feed. */
export const makeTwoAccounts = (
  storage: readonly string[] = [],
  change = async (_folder: string): Promise<void> => undefined,
): Promise<string> =>
  makeCopy(`two accounts ${storage.join(' ')}`, async (folder) => {
    const place = ['--data', folder, ...storage];
    for (const name of ['bob', 'eve']) {
      await run(['user', 'add', name, '--password-stdin', ...place], { input: 'secret' });
      await run(['import-opml', '-', '--user', name, '--device', 'phone', ...place], { input: OPML });
    }
    await change(folder);
  });

/** What `check` and `migrate` count there. */
export const COUNTS = {
  accounts: 2,
  devices: 2,
  subscriptions: 2,
  actions: 0,
  settings: 0,
  lists: 0,
  sessions: 0,
  podcasts: 1,
  episodes: 0,
};

/** Uploads more actions of a user than are read when the storage is opened. */
export async function uploadMany(data: string, user: string): Promise<void> {
  const server = await startServer(['--data', data]);
  const actions = Array.from({ length: 6000 }, (_, n) => ({
    podcast: FEED,
    episode: `${FEED}/${n}.mp3`,
    action: 'new',
  }));
  const answer = await fetch(`${server.url}/api/2/episodes/${user}.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${user}:secret`)}` },
    body: JSON.stringify(actions),
  });
  expect(answer.status).toBe(200);
  server.kill('SIGTERM');
  await server.ended;
}
