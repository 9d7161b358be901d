import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openVisitor, signIn } from './browser.ts';
import { FEED, openFilled, press } from './playback-samples.ts';

const PAGE = 'http://localhost/subscriptions';
const feed = (name: string): string => `https://feeds.example/${name}.xml`;

/** The list of a device. */
const onDevice = async ({ request }: TestServer, device: string): Promise<string[]> =>
  (await request('GET', `/subscriptions/bob/${device}.json`, { auth: 'bob:secret' })).json() as Promise<string[]>;

/** The changes that an app receives since a mark, and the next mark. */
async function sync({ request }: TestServer, device: string, since = 0) {
  const path = `/api/2/subscriptions/bob/${device}.json?since=${since}`;
  const answer = await request('GET', path, { auth: 'bob:secret' });
  return (await answer.json()) as { add: string[]; remove: string[]; timestamp: number };
}

async function upload({ request }: TestServer, device: string, add: string[], remove: string[] = []): Promise<number> {
  const path = `/api/2/subscriptions/bob/${device}.json`;
  const answer = await request('POST', path, { auth: 'bob:secret', body: { add, remove } });
  return ((await answer.json()) as { timestamp: number }).timestamp;
}

const storeFeed = ({ storage }: TestServer, url: string, title: string, releasedAt: number): Promise<void> =>
  recordFeed(storage, url, { title, author: 'An author' }, [
    { url: `${url}/1.mp3`, title: `Episode of ${title}`, releasedAt },
  ]);

/** Titles in the order of the page. */
const titlesOf = (html: string): string[] =>
  [...html.matchAll(/aria-label="Select ([^"]*)"/g)].map(([, title]) => title!);

it('sends visitors to the login page, and back', async () => {
  const { request } = await openTestServer();
  const answer = await request('GET', '/subscriptions?view=list', { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe('http://localhost/login?next=%2Fsubscriptions%3Fview%3Dlist');
  const sent = await request('POST', '/subscriptions/remove', { headers: { accept: 'text/html' } });
  expect(sent.headers.get('location')).toBe('http://localhost/login?next=%2Fsubscriptions&unsaved=form');
});

it('registers the browser as a device if the account has none', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  const empty = (await visitor.get('/subscriptions')).html;
  expect(empty).toContain('Nothing here yet.');
  expect(empty).not.toMatch(/0 podcasts|Download|Unsubscribe/);
  const done = await visitor.send('/subscriptions', { url: ` feed://feeds.example/a.xml ` }, PAGE);
  expect(done.status).toBe(303);
  const { html } = await visitor.get(done.location!);
  expect(html).toContain('Subscribed to <bdi><a');
  expect(html).not.toContain('All devices');
  const devices = await server.request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret' });
  expect(await devices.json()).toEqual([{ id: 'web', caption: 'Web browser', type: 'other', subscriptions: 1 }]);
});

it('subscribes on all devices or on one, and each receives it with its next sync', async () => {
  const server = await openTestServer();
  const phone = await upload(server, 'phone', [feed('a')]);
  await upload(server, 'tv', []);
  const visitor = await signIn(server);
  const added = await visitor.send('/subscriptions', { url: feed('b') }, PAGE);
  expect((await visitor.get(added.location!)).html).toContain(`>${feed('b')}</a></bdi>.</div>`);
  await visitor.send('/subscriptions', { url: feed('c'), device: 'tv' }, PAGE);
  expect(await sync(server, 'phone', phone)).toMatchObject({ add: [feed('b')], remove: [] });
  expect(await onDevice(server, 'tv')).toEqual([feed('b'), feed('c')]);
  const { html } = await visitor.get('/subscriptions?view=list');
  expect(html).toContain('<option value="" selected>All devices</option>');
  expect(html.match(/<div class="soft"><bdi>[^<]*<\/bdi><\/div>/g)).toEqual([
    '<div class="soft"><bdi>phone</bdi></div>',
    '<div class="soft"><bdi>All devices</bdi></div>',
    '<div class="soft"><bdi>tv</bdi></div>',
  ]);
});

it('a podcast of all apps is on all devices, also after an episode was played in the browser', async () => {
  const server = await openFilled();
  await upload(server, 'tv', [FEED]);
  await upload(server, 'phone', [feed('a')]);
  const visitor = await signIn(server);
  await press(visitor, 'played');
  expect((await visitor.get('/devices')).html).toContain('Web browser');
  const labels = async (): Promise<string[]> => {
    const { html } = await visitor.get('/subscriptions?view=list');
    return Array.from(html.matchAll(/<div class="soft"><bdi>([^<]*)<\/bdi><\/div>/g), ([, label]) => label!);
  };
  expect(await labels()).toEqual(['phone', 'All devices']);

  await visitor.send('/subscriptions', { url: feed('b') }, PAGE); // which the browser has, too
  expect(await labels()).toEqual(['phone', 'All devices', 'All devices']);
});

it('a device receives changes by the website even if it uploads first', async () => {
  const server = await openTestServer();
  const before = await upload(server, 'phone', [feed('a')]);
  const visitor = await signIn(server);
  await visitor.send('/subscriptions', { url: feed('b'), device: 'phone' }, PAGE);
  const mark = await upload(server, 'phone', [feed('c')]);
  expect((await sync(server, 'phone', mark)).add).toContain(feed('b'));
  expect((await sync(server, 'phone', before)).add).toContain(feed('b'));
});

it.each<[Record<string, string>, string, string]>([
  [
    { url: 'ftp://feeds.example/a' },
    'A feed address must begin with http:// or https://.',
    'value="ftp://feeds.example/a"',
  ],
  [{ url: '' }, 'The address is empty.', 'id="url-error"'],
  [{ url: feed('b'), device: 'unknown' }, 'You have no device with this name.', `value="${feed('b')}"`],
  [{ url: feed('b'), csrf: 'old' }, 'This form was too old', `value="${feed('b')}"`],
])('shows the form again with the entered values: %j', async (fields, problem, typed) => {
  const server = await openTestServer();
  await upload(server, 'phone', [feed('a')]);
  const visitor = await signIn(server);
  const again = await visitor.send('/subscriptions', fields, PAGE);
  expect(again.status).toBe(400);
  expect(again.html).toContain(problem);
  expect(again.html).toContain(typed);
  expect(await onDevice(server, 'phone')).toEqual([feed('a')]);
});

it.each<[string, boolean, string, boolean]>([
  ['https://me:secret@feeds.example/a', false, 'https://feeds.example/a', true],
  ['feed:https://me:secret@feeds.example/a', false, 'https://feeds.example/a', true],
  ['https://me:secret@feeds.example/a', true, 'https://me:secret@feeds.example/a', false],
  ['https://feeds.example/@me#secret', false, 'https://feeds.example/@me', false],
])(
  'says if it did not keep the password in an address: %s, if they are kept: %s',
  async (url, keeps, stored, isSaid) => {
    const server = await openTestServer({ keepUrlCredentials: keeps });
    await upload(server, 'phone', []);
    const visitor = await signIn(server);
    const { location } = await visitor.send('/subscriptions', { url }, PAGE);
    expect(await onDevice(server, 'phone')).toEqual([stored]);
    const said = (await visitor.get(location!)).html.includes('but without the user name and password in its address');
    expect(said).toBe(isSaid);
  },
);

it('asks for podcasts to unsubscribe from, and keeps the view', async () => {
  const server = await openTestServer();
  await upload(server, 'phone', [feed('a')]);
  const path = '/subscriptions?view=list';
  const again = await (await signIn(server)).send(path, {}, 'http://localhost/subscriptions/remove?view=list');
  expect(again.status).toBe(400);
  expect(again.html).toContain('First select the podcasts to unsubscribe from.');
  expect(again.html).toContain('<ul class="items">');
});

it('unsubscribes from several at once, and restores them on the same devices', async () => {
  const server = await openTestServer();
  await upload(server, 'phone', ['a', 'b', 'c'].map(feed));
  await upload(server, 'tv', ['b', 'c'].map(feed));
  const visitor = await signIn(server);
  const removed = await visitor.send(
    '/subscriptions?view=list',
    { podcast: ['a', 'b'].map(feed) },
    `${PAGE}/remove?view=list`,
  );
  expect(removed.location).toMatch(/\/subscriptions\?view=list&removed=\d+$/);
  expect(await onDevice(server, 'phone')).toEqual([feed('c')]);
  expect(await onDevice(server, 'tv')).toEqual([feed('c')]);
  expect((await visitor.get(removed.location!)).html).toContain('Unsubscribed from 2 podcasts.');
  // Hours later, after another change.
  server.clock.now += 10_000;
  const undone = await visitor.send(removed.location!, {}, `${PAGE}/restore?view=list`);
  expect(undone.location).toBe(`${PAGE}?view=list`);
  expect(await onDevice(server, 'phone')).toEqual(['a', 'b', 'c'].map(feed));
  expect(await onDevice(server, 'tv')).toEqual(['b', 'c'].map(feed));
  const after = await visitor.get(removed.location!);
  expect(after.html).not.toContain('Unsubscribed from');
});

it('does not restore a device that was deleted before the undo', async () => {
  const server = await openTestServer();
  for (const device of ['phone', 'tv']) await upload(server, device, [feed('a')]);
  const visitor = await signIn(server);
  const removed = await visitor.send('/subscriptions', { podcast: feed('a') }, `${PAGE}/remove`);
  const [, csrf] = /name="csrf" value="([^"]*)"/.exec((await visitor.get(removed.location!)).html)!;
  await server.services.devices.remove((await server.services.accounts.findByName('bob'))!.id, 'tv');
  await visitor.send(removed.location!, { csrf: csrf!, removed: `${feed('a')} phone/tv` }, `${PAGE}/restore`);
  expect(await onDevice(server, 'phone')).toEqual([feed('a')]);
  const devices = await server.request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret' });
  expect(await devices.json()).toMatchObject([{ id: 'phone' }]);
});

it('unsubscribes from all podcasts of the longest page', async () => {
  const server = await openTestServer();
  const urls = Array.from({ length: 300 }, (_, at) => feed(String(at)));
  await upload(server, 'phone', urls);
  const visitor = await signIn(server);
  expect((await visitor.get('/subscriptions')).html).not.toContain('Page 1 of');
  const removed = await visitor.send('/subscriptions', { podcast: urls, device: '' }, `${PAGE}/remove`);
  expect((await visitor.get(removed.location!)).html).toContain('Unsubscribed from 300 podcasts.');
  expect(await onDevice(server, 'phone')).toEqual([]);
  await visitor.send(removed.location!, {}, `${PAGE}/restore`);
  expect(await onDevice(server, 'phone')).toEqual(urls);
});

it('keeps filter, order and layout when one unsubscribes and undoes it, and names the podcast', async () => {
  const server = await openTestServer();
  await upload(server, 'phone', ['a', 'b'].map(feed));
  await storeFeed(server, feed('a'), 'Talk & more', 1_600_000_000);
  const visitor = await signIn(server);
  const view = '?q=talk+%26&sort=newest&view=list';
  const { html } = await visitor.get(`/subscriptions${view}`);
  expect(titlesOf(html)).toEqual(['Talk &amp; more']);
  expect(html).toContain('<bdi>An author</bdi>');
  expect(html).toContain('value="talk &amp;"');
  expect(html.match(/<option value="[^"]*" selected>/g)).toEqual(
    ['newest', 'list'].map((value) => `<option value="${value}" selected>`),
  );
  const removed = await visitor.send(`/subscriptions${view}`, { podcast: feed('a') }, `${PAGE}/remove${view}`);
  expect(removed.location).toMatch(`${PAGE}${view}&removed=`);
  const after = (await visitor.get(removed.location!)).html;
  expect(after).toContain('Unsubscribed from Talk &amp; more.');
  expect(after).toContain('No podcast matches');
  expect(after).not.toContain('Unsubscribe</button>');
  const undone = await visitor.send(removed.location!, {}, `${PAGE}/restore${view}`);
  expect(undone.location).toBe(`${PAGE}${view}`);
  const untitled = await visitor.send('/subscriptions', { podcast: feed('b') }, `${PAGE}/remove`);
  expect((await visitor.get(untitled.location!)).html).toContain(`Unsubscribed from ${feed('b')}.`);
});

it('shows a refused form with the device that was chosen, and returns only to pages of this site', async () => {
  const server = await openTestServer();
  for (const device of ['phone', 'tv']) await upload(server, device, [feed('a')]);
  const visitor = await signIn(server);
  const again = await visitor.send('/subscriptions', { url: 'nonsense', device: 'tv' }, PAGE);
  expect(again.html).toContain('value="tv" selected');
  const done = await visitor.send('/subscriptions', { url: feed('b'), next: '.evil.example/' }, PAGE);
  expect(done.location).toBe('http://localhost/');
});

it('unsubscribes on only one device', async () => {
  const server = await openTestServer();
  for (const device of ['phone', 'tv']) await upload(server, device, [feed('a')]);
  const visitor = await signIn(server);
  await visitor.send('/subscriptions', { podcast: feed('a'), device: 'tv' }, `${PAGE}/remove`);
  expect(await onDevice(server, 'tv')).toEqual([]);
  expect(await onDevice(server, 'phone')).toEqual([feed('a')]);
});

it('filters by words and sorts by name or newest episode, which follows the feeds', async () => {
  const server = await openTestServer();
  await upload(server, 'phone', ['a', 'b', 'c'].map(feed));
  await storeFeed(server, feed('a'), 'Zebra talk', 1_600_000_000);
  await storeFeed(server, feed('b'), 'apple news', 1_500_000_000);
  const visitor = await signIn(server);
  expect(titlesOf((await visitor.get('/subscriptions')).html)).toEqual(['apple news', feed('c'), 'Zebra talk']);
  const newest = async (): Promise<string[]> => titlesOf((await visitor.get('/subscriptions?sort=newest')).html);
  expect(await newest()).toEqual(['Zebra talk', 'apple news', feed('c')]);
  server.clock.now += 1000;
  await storeFeed(server, feed('c'), 'Middle', 1_550_000_000);
  const second = { url: `${feed('b')}/2.mp3`, title: 'Two', description: '', website: '', releasedAt: 1_650_000_000 };
  const known = (await server.storage.podcasts.find([feed('b')]))[0]!;
  const state = { url: feed('b'), intervalSeconds: 3600, failures: 0, fetchedAt: server.clock.now };
  await server.storage.podcasts.record(feed('b'), { state, content: { podcast: known, episodes: [second] } });
  expect(await newest()).toEqual(['apple news', 'Zebra talk', 'Middle']);
  const filtered = await visitor.get('/subscriptions?q=TALK+zebra&view=list');
  expect(titlesOf(filtered.html)).toEqual(['Zebra talk']);
  expect(filtered.html).toContain('Episode of Zebra talk');
  expect((await visitor.get('/subscriptions?q=%3Cb%3E')).html).toContain('No podcast matches “&lt;b&gt;”.');
});

it('shows a newest episode as the last fetch of its feed found it', async () => {
  const server = await openTestServer();
  await upload(server, 'phone', [feed('a')]);
  const visitor = await signIn(server);
  const fetched = async (title: string, releasedAt: number): Promise<string> => {
    server.clock.now += 3600;
    const state = { url: feed('a'), intervalSeconds: 3600, failures: 0, fetchedAt: server.clock.now };
    await recordFeed(server.storage, feed('a'), {}, [{ url: feed('a/1'), title, releasedAt }], { state });
    return (await visitor.get('/subscriptions?view=list')).html;
  };
  expect(await fetched('Wrng title', 1_600_000_000)).toContain('<bdi>Wrng title</bdi>');
  const corrected = await fetched('Right title', 1_500_000_000);
  expect(corrected).toContain('<bdi>Right title</bdi> · <bdi><time datetime="2017-07-14T02:40:00Z">');
  expect(corrected).not.toContain('Wrng title');
});

it('sorts by listening time, including that under a former address', async () => {
  const server = await openTestServer();
  await upload(server, 'phone', ['a', 'b', 'c'].map(feed));
  const state = { url: feed('c'), intervalSeconds: 3600, failures: 0, fetchedAt: server.clock.now };
  await server.storage.podcasts.record(feed('c'), { state, movedTo: feed('moved') });
  const play = (name: string, episode: number, position: number) => ({
    podcast: feed(name),
    episode: `${feed(name)}/${episode}.mp3`,
    device: 'phone',
    action: 'play',
    timestamp: '2023-11-14T00:00:00',
    started: 60,
    position,
    total: 9000,
  });
  const body = [play('b', 1, 660), play('a', 1, 3660), play('c', 1, 3660), play('c', 2, 3660)];
  const answer = await server.request('POST', '/api/2/episodes/bob.json', { auth: 'bob:secret', body });
  expect(answer.status).toBe(200);
  const { html } = await (await signIn(server)).get('/subscriptions?sort=listened');
  expect(titlesOf(html)).toEqual(['c', 'a', 'b'].map(feed));
  expect(html.match(/<div class="soft"><bdi>[^<]* listened<\/bdi><\/div>/g)).toEqual([
    '<div class="soft"><bdi>2 h listened</bdi></div>',
    '<div class="soft"><bdi>1 h listened</bdi></div>',
    '<div class="soft"><bdi>10 min listened</bdi></div>',
  ]);
});

it('shows a long library in pages', async () => {
  const server = await openTestServer();
  await upload(
    server,
    'phone',
    Array.from({ length: 301 }, (_, i) => feed(`f${i}`)),
  );
  const visitor = await signIn(server);
  const first = await visitor.get('/subscriptions?view=list');
  expect(titlesOf(first.html).length).toBe(300);
  expect(first.html).toContain('301 podcasts');
  expect(first.html).toContain('href="?view=list&amp;page=2"');
  for (const page of [2, 3]) {
    const { html } = await visitor.get(`/subscriptions?view=list&page=${page}`);
    expect([titlesOf(html).length, html.includes('Page 2 of 2')]).toEqual([1, true]);
  }
});

it('offers its lists as files only for the owner', async () => {
  const server = await openTestServer();
  await upload(server, 'phone', [feed('a')]);
  const visitor = await signIn(server);
  const { html } = await visitor.get('/subscriptions');
  for (const format of ['opml', 'json', 'txt']) {
    expect(html).toContain(`href="http://localhost/subscriptions/bob.${format}"`);
    expect((await visitor.get(`/subscriptions/bob.${format}`)).status).toBe(200);
    expect((await visitor.get(`/subscriptions/eve.${format}`)).status).toBe(401);
  }
});

it('links below the path of a proxy', async () => {
  const server = await openTestServer({ baseUrl: 'https://host.example/pods' });
  const visitor = openVisitor(server, 'https://host.example');
  await visitor.send('/pods/login', { name: 'bob', password: 'secret' }, 'https://host.example/pods/login');
  const base = 'https://host.example/pods/subscriptions';
  const done = await visitor.send('/pods/subscriptions', { url: feed('a') }, base);
  expect(done.location).toBe(`${base}?added=${encodeURIComponent(feed('a'))}`);
  const removed = await visitor.send(done.location!, { podcast: feed('a') }, `${base}/remove`);
  expect(removed.location).toMatch(/^https:\/\/host\.example\/pods\/subscriptions\?removed=\d+$/);
  const undone = await visitor.send(removed.location!, {}, `${base}/restore`);
  expect(undone.location).toBe(base);
  expect(await onDevice(server, 'web')).toEqual([feed('a')]);
});
