import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openVisitor, signIn } from './browser.ts';
import { textOf } from './listener.ts';
import { auth, FEED, PODCAST, AT, openFilled, press, upload } from './playback-samples.ts';

describe('the page of a podcast', () => {
  it('subscribes and unsubscribes', async () => {
    const server = await openFilled();
    // Without subscribers the page is a 404.
    await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [FEED] });
    const visitor = await signIn(server);
    const list = async () =>
      (await (await server.request('GET', '/subscriptions/bob/phone.json', { auth })).json()) as string[];
    const removed = await visitor.send(PODCAST, {}, `${AT}/subscriptions/remove`);
    expect(removed.location).toContain('/subscriptions?removed=');
    expect(await list()).toEqual([]);
    const added = await visitor.send(PODCAST, {}, `${AT}/subscriptions`);
    expect(added.location).toBe(`${AT}${PODCAST}`);
    expect(await list()).toEqual([FEED]);
    expect((await visitor.get(PODCAST)).html).toContain('Unsubscribe</button>');
  });

  it('subscribes on one device, and unsubscribes from all addresses that the podcast has had', async () => {
    const server = await openFilled();
    const moved = 'https://feeds.example/moved.xml';
    await server.request('PUT', '/subscriptions/bob/tv.json', { auth, body: ['https://feeds.example/other'] });
    await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [FEED] });
    const visitor = await signIn(server);
    const list = async (device: string) =>
      (await (await server.request('GET', `/subscriptions/bob/${device}.json`, { auth })).json()) as string[];
    await visitor.send(PODCAST, {}, `${AT}/subscriptions/remove`);
    expect(textOf((await visitor.get(PODCAST)).html)).toContain('Device All devices phone tv Subscribe');
    await visitor.send(PODCAST, { device: 'tv' }, `${AT}/subscriptions`);
    expect([await list('phone'), await list('tv')]).toEqual([[], ['https://feeds.example/other', FEED]]);

    await recordFeed(server.storage, FEED, { title: 'Talk' }, [], { movedTo: moved });
    await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [moved] });
    const page = `/podcast?url=${encodeURIComponent(moved)}`;
    await visitor.send(page, {}, `${AT}/subscriptions/remove`);
    expect([await list('phone'), await list('tv')]).toEqual([[], ['https://feeds.example/other']]);
  });

  it('shows who makes it, its website and feed, and to visitors the address for their app', async () => {
    const server = await openFilled();
    const podcast = { title: 'Talk', author: 'Ann', website: 'https://talk.example/' };
    await recordFeed(server.storage, FEED, podcast);
    const { html } = await openVisitor(server).get(PODCAST);
    expect(html).toContain('<p>Ann</p>');
    expect(html).toContain('href="https://talk.example/" rel="nofollow noopener">Website</a>');
    expect(html).toContain(`href="${FEED}" rel="nofollow noopener">Feed</a>`);
    expect(html).toContain(`add this address in your podcast app: <code>${FEED}</code>`);
    const own = (await (await signIn(server)).get(PODCAST)).html;
    expect(own).not.toContain('in your podcast app');
    const unknown = 'https://feeds.example/unknown';
    await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [unknown] });
    const empty = await openVisitor(server).get(`/podcast?url=${encodeURIComponent(unknown)}`);
    expect(empty.html).toContain('No episodes are known yet.');
  });

  it('does not say that nobody subscribes to one of too many that were added on one day', async () => {
    const server = await openFilled();
    const feeds = Array.from({ length: 2001 }, (_, at) => `https://feeds.example/${at}`);
    await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: feeds });
    const { status, html } = await (await signIn(server)).get(`/podcast?url=${encodeURIComponent(feeds.at(-1)!)}`);
    expect(status).toBe(200);
    expect(html).toContain('Unsubscribe</button>');
    expect(html).not.toContain('0 subscribers');
  });

  it('marks the language of the texts from a feed, here and on all other pages', async () => {
    const server = await openFilled();
    const url = 'https://media.example/1.mp3';
    const visitor = await signIn(server);
    await upload(server, { episode: url, action: 'play', started: 0, position: 60, total: 600 });
    const pages = [
      PODCAST,
      '/directory',
      `/episode?podcast=${encodeURIComponent(FEED)}&url=${encodeURIComponent(url)}`,
      '/',
      '/subscriptions',
      '/subscriptions?view=list',
      '/history',
      '/statistics',
    ];
    const texts = async (language: string): Promise<string[]> => {
      const podcast = { title: 'Der Titel', description: 'Worum es geht.', language };
      await recordFeed(server.storage, FEED, podcast, [
        { url, title: 'Folge eins', description: 'Wer kommt.' },
        { url: 'https://media.example/2.mp3', title: 'Folge zwei' },
      ]);
      const found = await Promise.all(pages.map(async (page) => (await visitor.get(page)).html));
      return found.flatMap((html) =>
        html.match(/<(?:h1|a|p|span)[^>]*>(?:Der Titel|Worum es geht\.|Folge (?:eins|zwei)|Wer kommt\.)</g)!,
      );
    };
    const marked = await texts('de-at');
    expect(marked.filter((text) => text.includes(' lang="de-at"'))).toEqual(marked);
    expect(marked).toHaveLength(20);
    for (const unknown of ['', 'x y']) expect((await texts(unknown)).join()).not.toContain('lang=');
  });

  it('cuts no description within a character, and shows no progress of an episode that nobody has played', async () => {
    const server = await openFilled();
    const description = `${'x'.repeat(299)}😀`;
    await recordFeed(server.storage, FEED, {}, [{ url: 'https://media.example/1.mp3', duration: 60, description }]);
    const { html } = await (await signIn(server)).get(PODCAST);
    expect(html).toContain(`${'x'.repeat(299)}</p>`);
    expect(html).not.toContain('<progress');
  });

  it('lists 50 episodes on a page', async () => {
    const server = await openFilled();
    const episodes = Array.from({ length: 101 }, (_, i) => ({
      url: `https://media.example/n${i}.mp3`,
      title: `No ${i}.`,
    }));
    await recordFeed(server.storage, FEED, {}, episodes);
    const visitor = openVisitor(server);
    const { html } = await visitor.get(PODCAST);
    expect(html.match(/<li id="episode-/g)?.length).toBe(50);
    expect(html).toContain('Page 1 of 3');
    const next = `?url=${encodeURIComponent(FEED)}&amp;page=2`;
    expect(html).toContain(`href="${next}" rel="next"`);
    const links = async (page: number): Promise<string[]> => {
      const shown = (await visitor.get(`${PODCAST}&page=${page}`)).html;
      return [...shown.matchAll(/page=(\d)" rel="(\w+)"/g)].map(([, to, relation]) => `${relation} ${to}`);
    };
    expect([await links(1), await links(2), await links(3)]).toEqual([['next 2'], ['prev 1', 'next 3'], ['prev 2']]);
    expect((await visitor.get(`${PODCAST}&page=3`)).html).toContain('No 100.');
    expect((await visitor.get(`${PODCAST}&page=4`)).status).toBe(404);
    const own = await signIn(server);
    const done = await press(own, 'played', episodes[60]!.url, `${PODCAST}&page=2`);
    expect(done.location).toBe(`${AT}${PODCAST}&page=2`);
  });

  it('leads past a long description to its episodes', async () => {
    const server = await openFilled();
    await recordFeed(server.storage, FEED, { description: 'All about it. '.repeat(500) }, [
      { url: 'https://media.example/1.mp3', title: 'One' },
    ]);
    const { html } = await openVisitor(server).get(PODCAST);
    expect(html.indexOf('<a href="#episodes">1 episode</a>')).toBeLessThan(html.indexOf('All about it.'));
    expect(html.indexOf('<h2 id="episodes">')).toBeGreaterThan(html.indexOf('All about it.'));
  });

  it('reports that a feed cannot be fetched, why, and since when', async () => {
    const server = await openFilled();
    const visitor = openVisitor(server);
    expect((await visitor.get(PODCAST)).html).not.toMatch(/Fetching has failed|never been fetched/);
    const state = { url: FEED, intervalSeconds: 3600, failures: 3, error: 'the server answered 500' };
    await server.storage.podcasts.record(FEED, { state: { ...state, fetchedAt: 1_700_000_000 } });
    const { html } = await visitor.get(PODCAST);
    expect(html).toMatch(
      /last fetched on <time[^>]*>14 Nov 2023<\/time>. Fetching has failed since then\. The server answered 500\./,
    );
    await server.storage.podcasts.record(FEED, { state });
    expect((await visitor.get(PODCAST)).html).toContain('This feed has never been fetched. The server answered 500.');
  });
});
