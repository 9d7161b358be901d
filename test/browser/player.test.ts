import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { CHROMIUM, openTab, signIn, useChromium } from './chromium.ts';
import { LENGTH, usePublisher } from './publisher.ts';

const FEED = 'https://feeds.example/talk.xml';
const AUTH = { auth: 'alice:secret' };

describe.skipIf(CHROMIUM === undefined)('the player', () => {
  useChromium();
  const publisher = usePublisher();

  const episodePage = (url: string): string =>
    `/episode?podcast=${encodeURIComponent(FEED)}&url=${encodeURIComponent(url)}`;

  /** Alice has listened to 40 seconds on her phone, and opens the page of the episode. */
  async function openPlayer(options: { file?: string; javaScriptEnabled?: boolean; users?: string[] } = {}) {
    const { file = 'talk.wav', users = ['alice'], ...tabOptions } = options;
    const url = `${publisher.url}/${file}`;
    const server = (await openTestServer({ users }, 'socket')) as TestServer & { origin: string };
    await server.request('PUT', '/subscriptions/alice/phone.json', { ...AUTH, body: [FEED] });
    await recordFeed(server.storage, FEED, { title: 'Talk' }, [{ url, title: 'First' }]);
    const heard = { podcast: FEED, episode: url, device: 'phone', action: 'play', started: 0, position: 40 };
    await server.request('POST', '/api/2/episodes/alice.json', { ...AUTH, body: [{ ...heard, total: LENGTH }] });
    const tab = await openTab(server.origin, tabOptions);
    await signIn(tab);
    await tab.open(episodePage(url));
    const actions = async (): Promise<Record<string, any>[]> => {
      const answer = await server.request('GET', '/api/2/episodes/alice.json', AUTH);
      return ((await answer.json()) as any).actions.filter(({ device }: any) => device === 'web');
    };
    return { ...tab, server, url, actions };
  }

  /** What the page uploads next, once the server has it. */
  const nextUpload = async (page: Page): Promise<Record<string, number>> => {
    const request = (await page.waitForResponse('**/episode/progress')).request();
    const fields = new URLSearchParams(request.postData()!);
    return Object.fromEntries(['started', 'position', 'total'].map((name) => [name, Number(fields.get(name))]));
  };
  const control = (page: Page, code: string) =>
    page.evaluate(`{ const audio = document.querySelector('audio, video'); ${code} }`);
  /** Until it is as expected: the browser plays in real time, and this machine may be busy. */
  const eventually = (read: () => unknown) => expect.poll(read, { timeout: 20_000 });
  const reach = (page: Page, seconds: number) =>
    eventually(() => page.evaluate(`document.querySelector('audio').currentTime`)).toBeGreaterThan(seconds);

  it('goes on where an app stopped, and uploads what is played until it pauses, without what is skipped', async () => {
    const { page, actions, complaints } = await openPlayer();
    const started = nextUpload(page);
    await control(page, 'audio.play()');
    expect(await started).toEqual({ started: 40, position: 40, total: LENGTH });
    await page.getByLabel('Speed').selectOption('2');
    await reach(page, 42);
    await page.getByRole('button', { name: 'Forward 30 s' }).click();
    await reach(page, 73);
    const paused = nextUpload(page);
    await control(page, 'audio.pause()');
    const { started: from, position } = await paused;
    expect(position).toBeGreaterThanOrEqual(73);
    expect(position! - from!).toBeLessThan(position! - 40 - 28);
    expect(await actions()).toHaveLength(2);
    await page.reload();
    expect(await page.locator('audio').getAttribute('src')).toMatch(new RegExp(`#t=${position}$`));
    expect(complaints).toEqual([]);
  });

  it('shows a video, and uploads what is played of it', async () => {
    const { page, complaints } = await openPlayer({ file: 'clip.mp4' });
    const { width, height } = (await page.locator('video').boundingBox())!;
    expect([width > 900, height > 400]).toEqual([true, true]);
    const started = nextUpload(page);
    await control(page, 'audio.play()');
    expect(await started).toEqual({ started: 40, position: 40, total: LENGTH });
    expect(complaints).toEqual([]);
  });

  it('uploads every 30 seconds, at the end, and when the page is left', async () => {
    const { page, open, actions } = await openPlayer();
    await page.clock.install();
    await page.reload();
    const started = nextUpload(page);
    await control(page, 'audio.play()');
    await started;
    await reach(page, 41);
    const later = nextUpload(page);
    await page.clock.runFor(30_000);
    expect((await later).started).toBe(40);
    await reach(page, 42.5);
    await open('/history');
    await eventually(async () => (await actions()).length).toBe(3);
    expect((await actions()).at(-1)!.position).toBeGreaterThanOrEqual(42);
    await page.goBack();
    await control(page, `audio.currentTime = ${LENGTH - 1}; audio.play()`);
    await eventually(async () => (await actions()).at(-1)).toMatchObject({ position: LENGTH, total: LENGTH });
    await page.reload();
    expect(await page.getByRole('button', { name: 'Mark as new' }).isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Mark as played' }).count()).toBe(0);
  });

  it('keeps the speed that was chosen', async () => {
    const { page } = await openPlayer();
    await page.getByLabel('Speed').selectOption('1.5');
    await page.reload();
    expect(await page.getByLabel('Speed').inputValue()).toBe('1.5');
    await control(page, 'audio.play()');
    await reach(page, 41);
    expect(await page.evaluate(`document.querySelector('audio').playbackRate`)).toBe(1.5);
    await page.evaluate(`localStorage.setItem('podsync-speed', 'of an earlier version')`);
    await page.reload();
    expect(await page.getByLabel('Speed').inputValue()).toBe('1');
    expect(await page.evaluate(`document.querySelector('audio').playbackRate`)).toBe(1);
  });

  it('uploads nothing for a visitor who only skips to a position', async () => {
    const { page, open, actions } = await openPlayer();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.getByRole('button', { name: 'Forward 30 s' }).click();
    await open('/history');
    expect(requests.filter((url) => url.endsWith('/episode/progress'))).toEqual([]);
    expect(await actions()).toEqual([]);
  });

  it('offers its titles and skipping in the media controls of the system', async () => {
    const { page } = await openPlayer();
    await page.addInitScript(
      `navigator.mediaSession.setActionHandler = (name, act) => { (window.acts ??= {})[name] = act; }`,
    );
    await page.reload();
    const { title, artist, artwork } = (await page.evaluate(`(() => {
      const { title, artist, artwork } = navigator.mediaSession.metadata;
      return { title, artist, artwork };
    })()`)) as Record<string, any>;
    expect([title, artist]).toEqual(['First', 'Talk']);
    expect(artwork).toMatchObject([{ src: expect.stringContaining('/logo/256/') }]);
    const at: unknown[] = [];
    for (const act of ['seekbackward({})', 'seekforward({})', 'seekbackward({ seekOffset: 5 })']) {
      at.push(await page.evaluate(`{ acts.${act}; document.querySelector('audio').currentTime }`));
    }
    expect(at).toEqual([25, 55, 50]);
  });

  it('says that a position was not saved, and uploads it with the next one', async () => {
    const { page, context, actions } = await openPlayer();
    await context.route('**/episode/progress', (route) => route.abort());
    await control(page, 'audio.play()');
    await page.getByText('could not be saved').waitFor();
    await context.unroute('**/episode/progress');
    await reach(page, 42);
    const saved = nextUpload(page);
    await control(page, 'audio.pause()');
    expect((await saved).started).toBe(40);
    await page.getByText('could not be saved').waitFor({ state: 'hidden' });
    expect(await page.evaluate(`localStorage.getItem('podsync unsent alice')`)).toBeNull();
    expect(await actions()).toHaveLength(1);
    const resumed = nextUpload(page);
    await control(page, 'audio.play()');
    expect((await resumed).started).toBeGreaterThanOrEqual(42);
  });

  it('goes on from where an app stopped if skipped before it plays, and uploads when the tab is hidden', async () => {
    const { page } = await openPlayer();
    await page.getByRole('button', { name: 'Forward 30 s' }).click();
    const started = nextUpload(page);
    await control(page, 'audio.play()');
    expect(await started).toMatchObject({ started: 70, position: 70 });
    await reach(page, 71);
    const hidden = nextUpload(page);
    await page.evaluate(
      `{ Object.defineProperty(document, 'hidden', { value: true }); document.dispatchEvent(new Event('visibilitychange')) }`,
    );
    expect((await hidden).started).toBe(70);
  });

  it('uploads what could not be saved while it is paused, as of then: an app has played on since', async () => {
    const { page, context, server, url, actions } = await openPlayer();
    await page.clock.install();
    await page.reload();
    await context.route('**/episode/progress', (route) => route.abort());
    await control(page, 'audio.play()');
    await reach(page, 41);
    await control(page, 'audio.pause()');
    await page.getByText('could not be saved').waitFor();
    await context.unroute('**/episode/progress');
    server.clock.now += 3600;
    const heard = { podcast: FEED, episode: url, device: 'phone', action: 'play', started: 40, position: 80 };
    await server.request('POST', '/api/2/episodes/alice.json', { ...AUTH, body: [{ ...heard, total: LENGTH }] });
    const saved = nextUpload(page);
    await page.clock.fastForward(3_600_000);
    expect((await saved).started).toBe(40);
    await page.getByText('could not be saved').waitFor({ state: 'hidden' });
    expect(await actions()).toHaveLength(1);
    await page.reload();
    expect(await page.locator('audio').getAttribute('src')).toMatch(/#t=80$/);
  });

  it('goes on where an app stopped while the tab was hidden, but not back while its own upload is on the way', async () => {
    const { page, context, server, url, actions } = await openPlayer();
    await page.clock.install();
    await page.reload();
    await control(page, 'audio.play()');
    await reach(page, 41);
    let arrive: (() => Promise<void>) | undefined;
    await context.route('**/episode/progress', (route) => (arrive = () => route.continue()));
    const paused = nextUpload(page);
    await control(page, 'audio.pause()');
    await eventually(() => arrive).toBeDefined();
    // The server still has the position before.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.evaluate('fetch(location.href).then((page) => page.text())');
    expect(await page.evaluate(`document.querySelector('audio').currentTime`)).toBeGreaterThan(41);
    await arrive!();
    await paused;
    server.clock.now += 3600;
    const heard = { podcast: FEED, episode: url, device: 'phone', action: 'play', started: 40, position: 80 };
    await server.request('POST', '/api/2/episodes/alice.json', { ...AUTH, body: [{ ...heard, total: LENGTH }] });
    await page.clock.fastForward(3_600_000);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await eventually(() => page.evaluate(`document.querySelector('audio').currentTime`)).toBe(80);
    await page.goto('about:blank');
    expect(await actions()).toHaveLength(2);
  });

  it('does not go back if the earlier of two answers arrives last', async () => {
    const { page, context, server, url } = await openPlayer();
    const play = (position: number) => {
      const heard = { podcast: FEED, episode: url, device: 'phone', action: 'play', started: 0, position };
      return server.request('POST', '/api/2/episodes/alice.json', { ...AUTH, body: [{ ...heard, total: LENGTH }] });
    };
    let arrive: (() => Promise<void>) | undefined;
    const hold = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      arrive = () => route.fulfill({ response });
    };
    await play(60);
    await context.route('**/episode?*', hold, { times: 1 });
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await eventually(() => arrive).toBeDefined();
    await play(80);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    const position = () => page.evaluate(`document.querySelector('audio').currentTime`);
    await eventually(position).toBe(80);
    const earlier = page.waitForResponse('**/episode?*');
    await arrive!();
    await (await earlier).finished();
    await page.evaluate('new Promise((done) => setTimeout(done))');
    expect(await position()).toBe(80);
  });

  it('stays where it is if somebody else has signed in while the tab was hidden', async () => {
    const { page, context, server, url } = await openPlayer({ users: ['alice', 'bob'] });
    const heard = { podcast: FEED, episode: url, device: 'phone', action: 'play', started: 0, position: 80 };
    const body = [{ ...heard, total: LENGTH }];
    await server.request('POST', '/api/2/episodes/bob.json', { auth: 'bob:secret', body });
    await context.clearCookies();
    const other = await context.newPage();
    await signIn({ page: other, open: (path) => other.goto(server.origin + path) }, 'bob');
    const fetched = page.waitForResponse('**/episode?*');
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await (await fetched).finished();
    await page.evaluate('new Promise((done) => setTimeout(done))');
    expect(await page.evaluate(`document.querySelector('audio').currentTime`)).toBe(40);
  });

  it.each(['Mark as played', 'Mark as new'])('keeps %s, although it still plays', async (mark) => {
    const { page, actions } = await openPlayer();
    const started = nextUpload(page);
    await control(page, 'audio.play()');
    await started;
    await reach(page, 41.2);
    await page.getByRole('button', { name: mark }).click();
    await page
      .getByText(mark === 'Mark as new' ? 'Marked as new' : 'Played · 2 min')
      .first()
      .waitFor();
    await page.reload(); // after anything that the page sent when it was left
    const [, marked, ...later] = await actions();
    expect(marked).toMatchObject(mark === 'Mark as new' ? { action: 'new' } : { position: LENGTH });
    expect(later).toEqual([]);
  });

  it('leaves a link where the browser cannot play the file', async () => {
    const { page } = await openPlayer({ file: 'talk.html' });
    await control(page, 'audio.play().catch(() => undefined)');
    await page.getByText('This browser cannot play the file.').waitFor();
    expect(await page.getByRole('link', { name: 'Media file' }).getAttribute('href')).toContain('/talk.html');
  });

  it('is plain without a script, and the marks work', async () => {
    const { page, actions } = await openPlayer({ javaScriptEnabled: false });
    expect(await page.locator('audio').getAttribute('src')).toMatch(/#t=40$/);
    expect(await page.getByRole('button', { name: 'Forward 30 s' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Mark as played' }).click();
    await page.getByText('Played · 2 min').waitFor();
    expect(await actions()).toMatchObject([{ started: LENGTH, position: LENGTH, total: LENGTH }]);
  });
});
