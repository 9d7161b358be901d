import { describe, expect, it } from 'vitest';
import { createAntennaPod } from '../model/antennapod.ts';
import type { Device } from '../model/client.ts';
import { type Action } from '../model/library.ts';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { CHROMIUM, openTab, signIn, useChromium } from './chromium.ts';
import { LENGTH, usePublisher } from './publisher.ts';

const FEED = 'https://feeds.example/talk.xml';
const AUTH = { auth: 'bob:secret' };

describe.skipIf(CHROMIUM === undefined)('an app and the browser at once', () => {
  useChromium();
  const publisher = usePublisher();
  const media = (name: string): string => `${publisher.url}/${name}.wav`;

  /** Syncs as the app does, and returns the episode actions that it receives. */
  async function sync(app: Device, server: TestServer): Promise<Action[]> {
    const received: Action[] = [];
    const calls = app.sync();
    for (let next = calls.next(); !next.done;) {
      const { method, path, body } = next.value;
      const answer = await server.request(method, path, { ...AUTH, ...(body !== undefined && { body }) });
      const text = await answer.text();
      const found = text === '' ? undefined : JSON.parse(text);
      received.push(...(found?.actions ?? []));
      next = calls.next(found);
    }
    return received;
  }

  it('shows at the next load what AntennaPod uploads, and the next sync of the app receives what was done here', async () => {
    const server = (await openTestServer({ users: ['bob'] }, 'socket')) as TestServer & { origin: string };
    const app = createAntennaPod('phone');
    app.library.toggle(FEED);
    await sync(app, server);
    const names = ['First', 'Second', 'Third', 'Fourth'];
    const episodes = names.map((title) => ({ url: media(title), title, duration: LENGTH }));
    await recordFeed(server.storage, FEED, { title: 'Talk' }, episodes);

    const tab = await openTab(server.origin);
    const { page } = tab;
    const press = (name: string) => page.getByRole('button', { name }).click();
    await signIn(tab, 'bob');
    await page.getByText('No episode is in progress.').waitFor();

    server.clock.now += 60;
    const at = new Date(server.clock.now * 1000).toISOString().slice(0, 19);
    const play = { podcast: FEED, device: 'phone', action: 'play', timestamp: at, started: 0, total: LENGTH };
    app.library.addActions([{ ...play, episode: media('First'), position: 40 }]);
    await sync(app, server);
    await page.reload();
    await page.getByText('1 min left · phone').waitFor();
    await tab.open('/history');
    await page.getByText('Played 0:00 to 0:40 of 2:00 · phone').waitFor();

    server.clock.now += 60;
    await page.getByRole('link', { name: 'First' }).click();
    const saved = page.waitForResponse('**/episode/progress');
    await page.locator('audio').focus();
    await page.keyboard.press('Space');
    await saved;
    await page.getByRole('link', { name: 'Talk' }).click();
    await press('Mark as played: Second');
    await page.getByRole('button', { name: 'Mark as new: Second' }).waitFor();
    await press('Mark as played: Third');
    await press('Mark as new: Third');
    await page.getByText('Marked as new').waitFor();
    await page.getByRole('link', { name: 'Fourth' }).click();
    await press('Add to favourites');
    await page.getByRole('button', { name: 'Remove from favourites' }).waitFor();

    const received = await sync(app, server);
    const done = received.map(({ episode, device, action, position }) => [episode, device, action, position]);
    expect(done).toContainEqual([media('First'), 'web', 'play', 40]);
    expect(done).toContainEqual([media('Second'), 'web', 'play', LENGTH]);
    expect(done).toContainEqual([media('Third'), 'web', 'new', undefined]);
    const favorites = await server.request('GET', '/api/2/favorites/bob.json', AUTH);
    expect(await favorites.json()).toMatchObject([{ url: media('Fourth') }]);
    expect(tab.complaints).toEqual([]);
  });
});
