import { recordFeed } from './podcasts.ts';
import type { TestServer } from './server.ts';

const PODCAST = 'http://example.org/feed';
const DEVICES = ['phone', 'laptop', 'my.host.lan', 'Küche 2'];
/** Anyone may store such URLs: they must be escaped in every format. */
const FEEDS = [
  PODCAST,
  'http://example.org/</script>?a=1&b="<&amp;>',
  'http://example.org/%zz%]]>',
  'https://bücher.example/ä',
];

/** Uploads a little of everything for the account `name`, whose password is `secret`. */
export async function fillAccount({ request }: TestServer, name: string): Promise<void> {
  const auth = `${name}:secret`;
  const post = (path: string, body: unknown): Promise<Response> => request('POST', `/api/2${path}`, { auth, body });
  for (const device of DEVICES) await post(`/subscriptions/${name}/${encodeURIComponent(device)}.json`, { add: FEEDS });
  const episodes = Array.from({ length: 50 }, (_, index) => `http://example.org/${index}.mp3`);
  const plays = episodes.map((episode, index) => ({
    podcast: PODCAST,
    episode,
    action: 'play',
    device: DEVICES[index % 4],
    timestamp: index,
  }));
  await post(`/episodes/${name}.json`, plays);
  await post(`/settings/${name}/account.json`, { set: { colour: '<red>', depth: [[[1]]] }, remove: [] });
  for (const title of ['a', 'My <phone>']) {
    await post(`/lists/${name}/create.json?title=${encodeURIComponent(title)}`, FEEDS);
  }
}

/** Uploads a little of everything for bob and eve, and stores a feed as if it had been fetched. */
export async function fillServer(server: TestServer): Promise<TestServer> {
  for (const name of ['bob', 'eve']) await fillAccount(server, name);
  const episodes = [{ url: `${PODCAST}/1.mp3`, guid: '1' }];
  await recordFeed(server.storage, PODCAST, { title: 'Alpha', tags: ['News'] }, episodes);
  return server;
}

const pathsOf = (name: string): string[] => [
  ...DEVICES.map((device) => `/subscriptions/${name}/${encodeURIComponent(device)}.json`),
  `/api/2/devices/${name}.json`,
  `/api/2/sync-devices/${name}.json`,
  `/api/2/episodes/${name}.json`,
  `/api/2/settings/${name}/account.json`,
  `/api/2/lists/${name}.json`,
  `/api/2/lists/${name}/list/my-phone.txt`,
];

/** The responses for all data of an account, without marks. */
export const readAccount = ({ request }: TestServer, name: string): Promise<string[]> =>
  Promise.all(
    pathsOf(name).map(async (path) => {
      const answer = await request('GET', path, { auth: `${name}:secret` });
      return `${path} ${answer.status} ${(await answer.text()).replace(/"timestamp":\d+\}$/, '')}`;
    }),
  );
