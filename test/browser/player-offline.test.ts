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
    return { ...tab, actions };
  }

  it('keeps what was played when the page is left, and sends it from the next page with a player', async () => {
    const tab = await open();
    const { page, context, actions } = tab;
    await tab.open(pageOf(FIRST));
    await context.route(PROGRESS, (route) => route.abort());
    await page.evaluate(
      `{ const audio = document.querySelector('audio'); audio.currentTime = 40; audio.dispatchEvent(new Event('playing')) }`,
    );
    await page.getByText('could not be saved').waitFor();
    await tab.open('/history');
    await context.unroute(PROGRESS);

    const sent = page.waitForResponse(PROGRESS);
    await tab.open(pageOf(SECOND));
    expect((await sent).status()).toBe(204);
    expect(await actions('alice')).toMatchObject([{ episode: FIRST, device: 'web', position: 40 }]);
    await expect
      .poll(() => page.evaluate(`localStorage.getItem('podsync unsent alice')`), { timeout: 20_000 })
      .toBeNull();
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
    expect(await actions('bob')).toMatchObject([{ episode: SECOND }]);
    expect(await actions('alice')).toEqual([]);
  });
});
