import { expect } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { journey, useJourneys } from '../journey.ts';
import { LENGTH, usePublisher } from '../publisher.ts';

useJourneys();
const publisher = usePublisher();

const AUTH = { auth: 'alice:secret' };
const OPML = `<opml version="2.0"><body>
<outline type="rss" text="Another show" xmlUrl="https://another.example/feed.xml"/>
<outline type="rss" text="Slow Trains" xmlUrl="https://slow-trains.example/feed.xml"/>
<outline type="rss" text="A file" xmlUrl="file:///etc/hosts"/>
</body></opml>`;

journey('4. subscribes, filters, sorts, unsubscribes, undoes it, and imports a file', async (visitor) => {
  const { page, hasScript, signIn, go, arrive, see, download } = visitor;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const titles = () => page.locator('.grid > li > a, .items > li > div > bdi > a').allTextContents();
  /** Choices apply at once; without a script there is a button. */
  const apply = async () => (hasScript ? undefined : press('Apply'));
  await signIn();
  await go('Subscriptions');

  await page.getByLabel('Subscribe to a feed').fill('nonsense');
  await press('Subscribe');
  await page.locator('#url[aria-invalid]').waitFor();
  await arrive('Subscriptions');
  expect(await page.getByLabel('Subscribe to a feed').inputValue()).toBe('nonsense');
  await page.getByLabel('Subscribe to a feed').fill('https://new-show.example/feed.xml');
  await page.getByLabel('Device').first().selectOption('Pixel');
  await press('Subscribe');
  await see('Subscribed to https://new-show.example/feed.xml.');

  await page.getByLabel('Filter').fill('tide');
  await page.getByLabel('Filter').press('Enter');
  await page.waitForURL('**/subscriptions?q=tide*');
  expect(await titles()).toEqual(['Tide Tables']);
  await page.getByLabel('Filter').fill('');
  await page.getByLabel('Filter').press('Enter');
  await page.waitForURL((url) => !url.search.includes('tide'));
  await page.getByLabel('Sort by').selectOption('Most listened');
  await apply();
  await page.waitForURL('**sort=listened*');
  await see('min listened');
  await page.getByLabel('Show as').selectOption('List');
  await apply();
  await page.waitForURL('**view=list*');
  await page.getByRole('checkbox', { name: 'Select Long Ball' }).check();
  await page.getByRole('checkbox', { name: 'Select Deep Field' }).check();
  await arrive('Subscriptions');
  await press('Unsubscribe');
  await see('Unsubscribed from 2 podcasts.');
  expect(await titles()).not.toContain('Long Ball');
  await press('Undo');
  await page.getByRole('link', { name: 'Long Ball' }).waitFor();

  await page.getByRole('link', { name: 'Import OPML' }).click();
  await page.getByLabel('OPML file').setInputFiles({ name: 'a.opml', mimeType: 'text/xml', buffer: Buffer.from(OPML) });
  await press('Preview');
  await see('1 new podcast, 1 already in your subscriptions, 1 refused.');
  await arrive('Import OPML');
  await press('Subscribe to 1 podcast');
  await see('Subscribed to 1 podcast.');
  expect(await download('OPML')).toContain('https://another.example/feed.xml');
});

journey('5. reads about a podcast and its episodes, subscribes, and marks an episode', async (visitor) => {
  const { page, server, signIn, go, open, arrive, see } = visitor;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const long = 'https://long.example/feed.xml';
  const episodes = Array.from({ length: 60 }, (_, at) => ({
    url: `https://long.example/${at}.mp3`,
    title: `No. ${at}`,
  }));
  const added = { add: [long, 'https://gone.example/feed.xml'], remove: [] };
  await server.request('POST', '/api/2/subscriptions/alice/phone.json', { ...AUTH, body: added });
  await recordFeed(server.storage, long, { title: 'A long show' }, episodes);
  await server.services.feeds.update({ url: 'https://gone.example/feed.xml' });
  await signIn();
  await go('Subscriptions');
  await page.getByRole('link', { name: 'Deep Field' }).click();
  await arrive('Deep Field');
  await press('Unsubscribe');
  await see('Unsubscribed from Deep Field.');
  await go('Directory');
  await page.getByRole('button', { name: 'Subscribe to Deep Field' }).click();
  await page.getByRole('link', { name: 'Deep Field' }).click();
  await page.getByRole('button', { name: 'Unsubscribe', exact: true }).waitFor();

  await page.getByRole('link', { name: 'Science' }).click();
  await arrive('Podcasts tagged Science');
  await page.getByRole('link', { name: 'Deep Field' }).click();
  await page.getByRole('button', { name: 'Mark as played: Dark nights' }).click();
  await page.getByRole('button', { name: 'Mark as new: Dark nights' }).waitFor();
  await page.getByRole('link', { name: 'Dark nights' }).click();
  await see('Marked as played');
  await press('Mark as new');
  await see('Marked as new');
  await press('Add to favourites');
  await page.getByRole('button', { name: 'Remove from favourites' }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
  await arrive('Dark nights');

  await go('Subscriptions');
  await page.getByRole('link', { name: 'A long show' }).click();
  await expect.poll(() => page.getByRole('link', { name: 'No. ' }).count()).toBe(50);
  await page.getByRole('link', { name: 'Next page' }).click();
  await see('Page 2 of 2');
  await expect.poll(() => page.getByRole('link', { name: 'No. ' }).count()).toBe(10);
  await open(`/podcast?url=${encodeURIComponent('https://gone.example/feed.xml')}`);
  await see('This feed has never been fetched. The host is unknown.');
  await arrive('https://gone.example/feed.xml');
});

journey('6. goes on in the browser where an app stopped, and the app where the browser stopped', async (visitor) => {
  const { page, server, hasScript, signIn, arrive, see } = visitor;
  const feed = 'https://talk.example/feed.xml';
  const url = `${publisher.url}/talk.wav`;
  const added = { add: [feed], remove: [] };
  await server.request('POST', '/api/2/subscriptions/alice/phone.json', { ...AUTH, body: added });
  await recordFeed(server.storage, feed, { title: 'Talk' }, [{ url, title: 'First talk' }]);
  const play = {
    podcast: feed,
    episode: url,
    device: 'phone',
    action: 'play',
    started: 0,
    position: 40,
    total: LENGTH,
  };
  const upload = await server.request('POST', '/api/2/episodes/alice.json', { ...AUTH, body: [play] });
  const { timestamp } = (await upload.json()) as { timestamp: number };
  await signIn();
  await page.getByRole('link', { name: 'First talk' }).first().click();
  await arrive('First talk');
  const audio = page.locator('audio');
  expect(await audio.getAttribute('src')).toBe(`${url}#t=40`);
  expect(await page.getByRole('link', { name: 'Media file' }).getAttribute('href')).toBe(url);
  await expect.poll(() => page.getByRole('button', { name: 'Forward 30 s' }).isVisible()).toBe(hasScript);
  if (!hasScript) return;

  const saved = () => page.waitForResponse('**/episode/progress');
  const started = saved();
  await audio.focus();
  await page.keyboard.press('Space');
  await started;
  const stopped = saved();
  await page.getByRole('button', { name: 'Forward 30 s' }).click();
  await audio.focus();
  await page.keyboard.press('Space');
  await stopped;
  const changes = await server.request('GET', `/api/2/episodes/alice.json?since=${timestamp}`, AUTH);
  const { actions } = (await changes.json()) as { actions: Record<string, unknown>[] };
  const last = actions.at(-1)!;
  expect(last).toMatchObject({ podcast: feed, episode: url, device: 'web', action: 'play', total: LENGTH });
  expect(last.position).toBeGreaterThanOrEqual(70);
  await page.reload();
  await see('s left');
  expect(await audio.getAttribute('src')).toBe(`${url}#t=${String(last.position)}`);
});
