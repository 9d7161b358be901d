import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { decode, openVisitor, signIn, type Visitor } from './browser.ts';

const BASE = 'https://sync.example/pods';
const FEED = 'https://feeds.example/a?b=1&c=2';
const MEDIA = 'https://media.example/1.mp3?b=1&c=2';

/** An account with something to link to on every page, and names that links have to escape. */
async function openFilled(): Promise<TestServer> {
  const server = await openTestServer({ baseUrl: BASE, registration: 'open' });
  const { services, request } = server;
  const auth = 'bob:secret';
  const bob = (await services.accounts.findByName('bob'))!.id;
  for (const device of ['my phone & more', 'tv']) {
    await request('PUT', `/subscriptions/bob/${encodeURIComponent(device)}.json`, { auth, body: [FEED] });
    const times = { action: 'play', timestamp: '2023-11-14T10:00:00', started: 0, position: 60, total: 600 };
    const body = [{ podcast: FEED, episode: MEDIA, device, ...times }];
    await request('POST', '/api/2/episodes/bob.json', { auth, body });
  }
  await recordFeed(server.storage, FEED, { title: 'Talk', tags: ['Home & garden'] }, [
    { url: MEDIA, title: 'One' },
    { url: 'https://media.example/2.mp3', title: 'Two', releasedAt: server.clock.now },
  ]);
  for (const title of ['Mine', 'Later']) await services.lists.create(bob, title, [FEED]);
  await services.appPasswords.create(bob, 'Phone');
  for (const podcast of [FEED, 'https://feeds.example/unknown']) {
    const favorite = { set: { is_favorite: true }, remove: [] };
    await services.settings.update(bob, { scope: 'episode', podcast, episode: MEDIA }, favorite);
  }
  return server;
}

/** The links, files and forms of a page, as a browser resolves them. What a form names is a part of a later page. */
const linksOf = (html: string, page: string): URL[] =>
  Array.from(html.matchAll(/ (href|src|action|formaction)="([^"]*)"/g), ([, name, text]) => {
    const link = new URL(decode(text!), new URL(page, BASE));
    if (name!.endsWith('action')) link.hash = '';
    return link;
  });

interface Visited {
  html: string;
  isFound: boolean;
}

async function visit(visitor: Visitor, path: string): Promise<Visited> {
  let { status, location, html } = await visitor.get(path);
  while (location) ({ status, location, html } = await visitor.get(location));
  if (status === 200) return { html, isFound: !/Nothing in your history matches|No podcast has this tag/.test(html) };
  // It may be the address of a form, which is refused without its token.
  return { html, isFound: [303, 400, 403].includes((await visitor.submit(path, {})).status) };
}

/** Follows all links within the site. Returns those that lead nowhere, with the page that they are on. */
async function findBroken(visitor: Visitor, first: readonly string[]): Promise<{ broken: string; visited: number }> {
  const pages = new Map<string, Visited>();
  const broken = new Set<string>();
  const links = first.map((path) => ({ link: new URL(BASE + path), from: '' }));
  for (const { link, from } of links) {
    const path = link.pathname + link.search;
    const page = pages.get(path) ?? (await visit(visitor, path));
    if (!pages.has(path)) {
      const internal = linksOf(page.html, path).filter(({ origin }) => origin === link.origin);
      links.push(...internal.map((next) => ({ link: next, from: path })));
    }
    pages.set(path, page);
    const isComplete = link.hash === '' || page.html.includes(` id="${link.hash.slice(1)}"`);
    const isBelow = `${path}/`.startsWith('/pods/');
    if (from && !((page.isFound || path === from) && isComplete && isBelow)) broken.add(`${link.href} on ${from}`);
  }
  return { broken: [...broken].join('\n'), visited: pages.size };
}

it('every link of the site leads to a page, and to the part of it that it names', async () => {
  const server = await openFilled();
  const path = `/podcast?url=${encodeURIComponent(FEED)}`;
  const signedIn = await signIn(server, 'bob', 'secret', BASE);
  const own = await findBroken(signedIn, [
    '/',
    '/connect',
    '/nowhere',
    '/directory?q=none',
    '/subscriptions?view=list',
  ]);
  expect(own.broken).toBe('');
  expect(own.visited).toBeGreaterThan(40);
  const visitor = openVisitor(server, new URL(BASE).origin);
  const other = await findBroken(visitor, ['/', path, '/directory', '/user/bob', '/user/nobody', '/devices']);
  expect(other.broken).toBe('');
  expect(other.visited).toBeGreaterThan(10);
});
