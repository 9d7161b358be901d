import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { CHROMIUM, openTab, signIn, useChromium } from './chromium.ts';

const FEED = 'https://feeds.example/talk.xml';
const [FIRST, SECOND] = ['https://media.example/1.mp3', 'https://media.example/2.mp3'] as const;
const PROGRESS = '**/episode/progress';

const pageOf = (url: string): string => `/episode?podcast=${encodeURIComponent(FEED)}&url=${encodeURIComponent(url)}`;

describe.skipIf(CHROMIUM === undefined)('the player without a connection', () => {
  useChromium();

  async function open() {
    const server = (await openTestServer({ users: ['alice', 'bob'] }, 'socket')) as TestServer & { origin: string };
    const titled = [FIRST, SECOND].map((url) => ({ url, title: url }));
    for (const name of ['alice', 'bob']) {
      const options = { auth: `${name}:secret`, body: [FEED] };
      await server.request('PUT', `/subscriptions/${name}/phone.json`, options);
    }
    await recordFeed(server.storage, FEED, { title: 'Talk' }, titled);
    const actions = async (name: string): Promise<Record<string, unknown>[]> => {
      const answer = await server.request('GET', `/api/2/episodes/${name}.json`, { auth: `${name}:secret` });
      return ((await answer.json()) as { actions: Record<string, unknown>[] }).actions;
    };
    const tab = await openTab(server.origin);
    await signIn(tab);
    return { ...tab, server, actions };
  }

  it('keeps what was played of each episode when the page is left, and sends it from the next page with a player', async () => {
    const tab = await open();
    const { page, context, actions } = tab;
    await context.route(PROGRESS, (route) => route.abort());
    for (const url of [FIRST, SECOND]) {
      await tab.open(pageOf(url));
      await page.evaluate(
        `{ const audio = document.querySelector('audio'); audio.currentTime = 40; audio.dispatchEvent(new Event('playing')) }`,
      );
      await page.getByText('could not be saved').waitFor();
    }
    expect(await page.evaluate(`localStorage.getItem('podsync unsent alice')`)).not.toContain('csrf');
    await tab.open('/history');
    await context.unroute(PROGRESS);

    const sent = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    expect((await sent).status()).toBe(204);
    await expect
      .poll(() => page.evaluate(`localStorage.getItem('podsync unsent alice')`), { timeout: 20_000 })
      .toBeNull();
    const stored = await actions('alice');
    expect(stored).toHaveLength(2);
    for (const episode of [FIRST, SECOND]) {
      expect(stored).toContainEqual(expect.objectContaining({ episode, device: 'web', position: 40 }));
    }
  });

  it('keeps the position after the connection was lost, also one before the part that was played', async () => {
    const tab = await open();
    const { page, context, actions } = tab;
    await tab.open(pageOf(FIRST));
    const seek = (at: number, event: string) =>
      page.evaluate(
        `{ const audio = document.querySelector('audio'); audio.currentTime = ${at}; audio.dispatchEvent(new Event('${event}')) }`,
      );
    const saved = page.waitForResponse(PROGRESS);
    await seek(40, 'playing');
    await saved;
    await context.setOffline(true);
    await page.evaluate(`Object.defineProperty(document.querySelector('audio'), 'played', { value: [0] })`);
    await seek(50, 'timeupdate');
    await seek(5, 'seeking');
    await page.goto('about:blank');
    await context.setOffline(false);
    const sent = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    expect((await sent).status()).toBe(204);
    expect(await actions('alice')).toMatchObject([{ position: 40 }, { episode: FIRST, position: 5 }]);
  });

  it('sends it for nobody else who uses the same browser', async () => {
    const tab = await open();
    const { page, context, actions } = tab;
    await tab.open(pageOf(FIRST));
    await context.route(PROGRESS, (route) => route.abort());
    await page.evaluate(`document.querySelector('audio').dispatchEvent(new Event('playing'))`);
    await page.getByText('could not be saved').waitFor();
    await context.unroute(PROGRESS);
    await context.clearCookies();
    await signIn(tab, 'bob');
    await tab.open(pageOf(SECOND));
    const saved = page.waitForResponse(PROGRESS);
    await page.evaluate(`document.querySelector('audio').dispatchEvent(new Event('playing'))`);
    await saved;
    expect(await actions('bob')).toMatchObject([{ episode: SECOND, timestamp: '2023-11-14T22:13:20' }]);
    expect(await actions('alice')).toEqual([]);
  });

  it('goes on at a position that arrived late', async () => {
    const tab = await open();
    const { page, context } = tab;
    await tab.open(pageOf(FIRST));
    await context.route(PROGRESS, (route) => route.abort());
    await page.evaluate(
      `{ const audio = document.querySelector('audio'); audio.currentTime = 40; audio.dispatchEvent(new Event('playing')) }`,
    );
    await page.getByText('could not be saved').waitFor();
    await context.unroute(PROGRESS);
    await page.reload();
    await expect.poll(() => page.evaluate(`document.querySelector('audio').currentTime`), { timeout: 20_000 }).toBe(40);
  });

  it('drops what the server refuses, as it would refuse it again', async () => {
    const tab = await open();
    const { page, actions } = tab;
    const fields = `podcast=${encodeURIComponent(FEED)}&url=${encodeURIComponent(FIRST)}&position=x`;
    const stored = JSON.stringify({ first: { at: 0, fields } });
    await page.evaluate(`localStorage.setItem('podsync unsent alice', ${JSON.stringify(stored)})`);
    const refused = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    expect((await refused).status()).toBe(400);
    await expect
      .poll(() => page.evaluate(`localStorage.getItem('podsync unsent alice')`), { timeout: 20_000 })
      .toBeNull();
    expect(await actions('alice')).toEqual([]);
  });

  it('does not take the page of a hotspot for the answer of the server', async () => {
    const tab = await open();
    const { page, context, actions } = tab;
    await tab.open(pageOf(FIRST));
    await context.route(PROGRESS, (route) => route.fulfill({ contentType: 'text/html', body: '<p>Accept the terms' }));
    await page.evaluate(`document.querySelector('audio').dispatchEvent(new Event('playing'))`);
    await page.getByText('could not be saved').waitFor();
    const again = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    await (await again).finished();
    await page.evaluate('new Promise((done) => setTimeout(done))');
    await context.unroute(PROGRESS);
    const sent = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    await sent;
    expect(await actions('alice')).toMatchObject([{ episode: FIRST }]);
  });

  it('keeps what got no answer, as on a train', async () => {
    const tab = await open();
    const { page, context, actions } = tab;
    await page.clock.install();
    await tab.open(pageOf(FIRST));
    let isAnswered = false;
    await context.route(PROGRESS, (route) => (isAnswered ? route.continue() : undefined));
    const unanswered = page.waitForRequest(PROGRESS);
    await page.evaluate(`document.querySelector('audio').dispatchEvent(new Event('playing'))`);
    await unanswered;
    await page.clock.runFor(25_000);
    await page.getByText('could not be saved').waitFor();
    isAnswered = true;
    const sent = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    await sent;
    expect(await actions('alice')).toMatchObject([{ episode: FIRST }]);
  });

  it('keeps the later of two uploads if only the earlier one arrives', async () => {
    const tab = await open();
    const { page, context, actions } = tab;
    await tab.open(pageOf(FIRST));
    const answers: (() => Promise<void>)[] = [];
    await context.route(PROGRESS, (route) => void answers.push(() => route.continue()));
    const play = (at: number, event: string) =>
      page.evaluate(
        `{ const audio = document.querySelector('audio'); audio.currentTime = ${at};
          audio.dispatchEvent(new Event('seeking')); audio.dispatchEvent(new Event('${event}')) }`,
      );
    await play(40, 'playing');
    await expect.poll(() => answers.length).toBe(1);
    await context.route(PROGRESS, (route) => route.abort());
    await page.evaluate(`Object.defineProperty(document.querySelector('audio'), 'played', { value: [0] })`);
    await play(50, 'pause');
    await page.getByText('could not be saved').waitFor();
    const arrived = page.waitForResponse(PROGRESS);
    await answers[0]!();
    await arrived;
    await tab.open('/history');
    await context.unroute(PROGRESS);
    const sent = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    await sent;
    expect(await actions('alice')).toMatchObject([{ position: 40 }, { position: 50 }]);
  });
});
