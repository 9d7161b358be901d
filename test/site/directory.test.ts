import { expect, it } from 'vitest';
import { ACCOUNT } from '../../src/services/sync/settings.ts';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { decode, openVisitor, signIn } from './browser.ts';
import { textOf } from './listener.ts';

const feed = (name: string): string => `https://feeds.example/${name}`;

/** Podcasts that eve subscribes to, each with a tag. */
async function fill(server: TestServer): Promise<void> {
  const { accounts, subscriptions } = server.services;
  const eve = (await accounts.findByName('eve'))!;
  for (const [name, title, tag] of [
    ['a', 'Rocket science', 'Science'],
    ['b', 'Garden <hour>', 'Home & garden'],
  ] as const) {
    await subscriptions.upload(eve.id, 'phone', { add: [feed(name)], remove: [] });
    await recordFeed(server.storage, feed(name), { title, tags: [tag] });
  }
}

it('shows the toplist and the tags, those of a tag, and what a search finds', async () => {
  const server = await openTestServer();
  await fill(server);
  const visitor = openVisitor(server);
  const { html } = await visitor.get('/directory');
  expect(html).toContain('Rocket science');
  expect(html).toContain('Garden &lt;hour&gt;');
  expect(html).not.toContain('Subscribe</button>');
  const [, tag] = /href="http:\/\/localhost(\/directory\?tag=[^"]*)">Home &amp; garden</.exec(html)!;
  const tagged = await visitor.get(tag!);
  expect(tagged.html).toContain('Garden &lt;hour&gt;');
  expect(tagged.html).not.toContain('Rocket science');
  const found = await visitor.get('/directory?q=rocket');
  expect(found.html).toContain('Rocket science');
  expect(found.html).not.toContain('Garden');
  expect(found.html.match(/<input type="search"[^>]*>/g)).toEqual([expect.stringContaining('value="rocket"')]);
  expect(found.html).toContain('<title>Search: rocket · podsync</title>');
  expect(tagged.html).toContain('<h1>Podcasts tagged Home &amp; garden</h1>');
  const nothing = '/directory?q=zzzzzz';
  expect((await visitor.get(nothing)).html).toContain('No podcast was found.</p>');
  expect((await (await signIn(server)).get(nothing)).html).toContain('No podcast was found. You can <a href=');
});

it('a tag with a character that its feed has broken has a page', async () => {
  const server = await openTestServer();
  await fill(server);
  await recordFeed(server.storage, feed('a'), { title: 'Rocket science', tags: ['Soci\ufffdt\ufffd'] });
  const visitor = openVisitor(server);
  const { html } = await visitor.get('/directory');
  const [, tag] = /href="http:\/\/localhost(\/directory\?tag=[^"]*)">Soci/.exec(html)!;
  expect((await visitor.get(tag!)).html).toContain('Rocket science');
  expect((await visitor.get('/directory?tag=Soci%ff')).status).toBe(400);
});

it('links from a search to the same search in the subscriptions of the user, as private ones are not in the directory', async () => {
  const server = await openTestServer();
  const bob = (await server.services.accounts.findByName('bob'))!.id;
  await server.services.settings.update(bob, ACCOUNT, { set: { public_subscriptions: false }, remove: [] });
  await server.services.subscriptions.upload(bob, 'phone', { add: ['https://feeds.example/a'], remove: [] });
  await recordFeed(server.storage, 'https://feeds.example/a', { title: 'Böse & gut' }, []);
  const search = `/directory?q=${encodeURIComponent('böse & gut')}`;
  expect((await openVisitor(server).get(search)).html).not.toContain('Search my subscriptions');
  const visitor = await signIn(server);
  const { html } = await visitor.get(search);
  expect(html).toContain('No podcast was found.');
  const [, link] = /<a href="http:\/\/localhost([^"]*)">Search my subscriptions</.exec(html)!;
  const own = (await visitor.get(decode(link!))).html;
  expect(own).toContain('name="q" type="search" value="böse &amp; gut"');
  expect(own).toContain('Select Böse &amp; gut');
});

it('offers no search and no directory where there is none', async () => {
  const server = await openTestServer({ directory: 'off' });
  await fill(server);
  const visitor = await signIn(server, 'eve');
  const { html } = await visitor.get('/directory?q=rocket');
  expect(html).toContain('This server has no directory.');
  expect(html).not.toMatch(/Search|Public profile|href="[^"]*\/directory"/);
  expect((await visitor.get('/user/eve')).html).toContain('This server has no public profiles.');
  const podcast = (await visitor.get(`/podcast?url=${encodeURIComponent(feed('a'))}`)).html;
  expect(podcast).toContain('<li class="tag">Science</li>');
  expect((await signIn(server).then((bob) => bob.get('/subscriptions'))).html).not.toContain('directory');
});

it('offers it to members only', async () => {
  const server = await openTestServer({ directory: 'members' });
  await fill(server);
  const visitor = openVisitor(server);
  expect((await visitor.get('/')).html).not.toContain('Search the directory');
  expect((await visitor.get('/directory')).location).toBe('http://localhost/login?next=%2Fdirectory');
  const { html } = await (await signIn(server)).get('/directory');
  expect(html).toContain('Search the directory');
  expect(html).toContain('Rocket science');
});

it.each(['/directory?q=garden%20%26%20hour', '/directory?tag=Home%20%26%20garden', '/directory'])(
  'subscribes on the page %s, and stays there',
  async (page) => {
    const server = await openTestServer();
    await fill(server);
    const visitor = await signIn(server);
    expect(textOf((await visitor.get(page)).html)).toContain('Garden <hour> 1 subscriber Subscribe');
    const done = await visitor.send(page, { url: feed('b') }, 'http://localhost/subscriptions');
    expect(done.location).toBe(`http://localhost${page}`);
    const text = textOf((await visitor.get(done.location!)).html);
    expect(text).toContain('Garden <hour> 2 subscribers Subscribed');
    const listed = await server.request('GET', '/subscriptions/bob.json', { auth: 'bob:secret' });
    expect(await listed.json()).toEqual([feed('b')]);
  },
);

it('shows an empty directory, a blank search as the whole directory, and a podcast without a title', async () => {
  const server = await openTestServer();
  const visitor = openVisitor(server);
  const empty = textOf((await visitor.get('/directory')).html);
  expect(empty).toContain('No podcast is listed here yet.');
  expect(empty).not.toMatch(/Tags|Most subscribed/);
  await fill(server);
  const eve = (await server.services.accounts.findByName('eve'))!;
  await server.services.subscriptions.upload(eve.id, 'phone', { add: [feed('untitled')], remove: [] });
  for (const blank of ['?q=%20', '?tag=+', '']) {
    const { html } = await visitor.get(`/directory${blank}`);
    expect(textOf(html), blank).toContain('Most subscribed');
    expect(html).toContain(`>${feed('untitled')}</a>`);
  }
});
