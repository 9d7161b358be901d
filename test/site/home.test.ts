import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { logIn, openTestServer, type TestServer } from '../server.ts';
import { openVisitor, signIn } from './browser.ts';
import { feed, media, openListening, subscribe, textOf, upload } from './listener.ts';

it('explains what to enter in each app until something is synced, and then shows it', async () => {
  const server = await openTestServer({ baseUrl: 'https://sync.example/pods' });
  const visitor = await signIn(server, 'bob', 'secret', 'https://sync.example/pods');
  const empty = await visitor.get('/');
  for (const app of ['AntennaPod', 'gPodder', 'Kasts', 'Other apps']) expect(empty.html).toContain(`<h2>${app}</h2>`);
  expect(empty.html).toContain('<code>https://sync.example/pods</code>');
  expect(empty.html).toContain('<dt>Port</dt><dd><code>443</code></dd><dt>Path</dt><dd><code>/pods</code></dd>');
  expect(empty.html).toContain('aria-label="QR code of https://sync.example/pods"');
  expect(empty.html).toMatch(/data-waiting>No app has connected yet\. <a href="https:\/\/sync\.example\/pods\/">/);

  const device = { auth: 'bob:secret', body: { caption: 'My phone', type: 'mobile' } };
  await server.request('POST', '/api/2/devices/bob/phone.json', device);
  expect((await visitor.get('/')).html).toContain('data-waiting>Connected: My phone.');

  await subscribe(server, 'phone', 'a');
  const filled = await visitor.get('/');
  expect(filled.html).not.toContain('data-waiting');
  expect(filled.html).toContain('<h2>Continue listening</h2>');
});

it('explains how to connect an app also to a user who has subscribed on the site', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  expect((await visitor.get('/history')).html).toContain('<a href="http://localhost/connect">connect an app</a>');
  await visitor.send('/subscriptions', { url: feed('a') }, 'http://localhost/subscriptions');
  for (const path of ['/', '/devices']) {
    expect((await visitor.get(path)).html, path).toContain('<a href="http://localhost/connect">Connect an app</a>');
  }
  const { html } = await visitor.get('/connect');
  expect(html).toContain('<h1>Connect your app</h1>');
  expect(html).toContain('aria-label="QR code of http://localhost"');
  expect(html).toContain('<a href="http://localhost/subscriptions/import">import it here</a>');
  expect(html).not.toContain('data-waiting');
  const { location } = await openVisitor(server).get('/connect');
  expect(location).toBe('http://localhost/login?next=%2Fconnect');
});

it('warns that AntennaPod refuses the name', async () => {
  const visitor = await signIn(await openTestServer({ users: ['b+b'] }), 'b+b');
  expect((await visitor.get('/')).html).toContain('AntennaPod does not accept a user name with a <code>+</code>');
});

it.each([
  ['http://localhost:8080', '8080', /works only on this computer/],
  ['http://sync.example', '80', /Enter the address with http:\/\/ : without it, apps assume https:\/\/ \./],
  ['https://sync.example', '443', undefined],
])('says what is special about the address %s, and its port', async (baseUrl, port, hint) => {
  const server = await openTestServer({ baseUrl });
  const text = textOf((await (await signIn(server, 'bob', 'secret', baseUrl)).get('/')).html);
  expect(text).toContain(`Port ${port} User name bob`);
  const hints = [/works only on this computer/, /apps assume https/].filter((each) => each.test(text));
  expect(hints).toHaveLength(hint ? 1 : 0);
  if (hint) expect(text).toMatch(hint);
});

it('is shown under a host that is no valid address', async () => {
  const server = await openTestServer();
  const cookie = await logIn(server);
  for (const host of ['x:99999', '1.2.3.999', 'xn--']) {
    const home = await server.request('GET', '/', { cookie, headers: { host } });
    expect([home.status, (await home.text()).includes('<h1>Connect your app</h1>')], host).toEqual([200, true]);
  }
});

it('shows only the landing page to visitors who are not signed in', async () => {
  const { html } = await openVisitor(await openListening()).get('/');
  expect(html).toContain('Your podcasts, in sync');
  expect(html).not.toContain('Show');
});

it('lists episodes in progress, the last played first', async () => {
  const server = await openListening();
  const visitor = await signIn(server);
  await upload(
    server,
    { number: 1, device: 'phone', timestamp: '2023-11-13T10:00:00', started: 0, position: 600, total: 3600 },
    { number: 2, device: 'phone', timestamp: '2023-11-13T11:00:00', started: 0, position: 3590, total: 3600 },
    { number: 3, device: 'phone', timestamp: '2023-11-13T12:00:00', started: 0, position: 60, total: 3600 },
    { number: 3, device: 'phone', timestamp: '2023-11-13T12:30:00', action: 'new' },
    { podcast: 'b', number: 1, device: 'tv', timestamp: '2023-11-12T10:00:00', started: 0, position: 60, total: 600 },
    { podcast: 'b', number: 2, timestamp: '2023-11-14T10:00:00', started: 0, position: 60, total: 600 },
    { podcast: 'b', number: 2, timestamp: '2023-11-14T11:00:00', action: 'delete' },
    // Uploaded last, but played earlier.
    { number: 1, device: 'tv', timestamp: '2023-11-01T10:00:00', started: 0, position: 3600, total: 3600 },
  );
  const [inProgress] = (await visitor.get('/')).html.split('<h2>New episodes</h2>');
  const text = textOf(inProgress!);
  expect(text).toContain(
    'a 1 <b> Show "a" 17 % 50 min left · phone · 13 Nov 2023 b 1 <b> Show "b" 10 % 9 min left · tv',
  );
  expect(text).not.toMatch(/[ab] [23] </);
  expect(inProgress).toContain('<progress max="3600" value="600"');
});

it('an episode finished elsewhere disappears at the next load', async () => {
  const server = await openListening();
  const visitor = await signIn(server);
  await upload(server, { timestamp: '2023-11-13T10:00:00', started: 0, position: 600, total: 3600 });
  expect(textOf((await visitor.get('/')).html)).toContain('50 min left');
  await upload(server, { timestamp: '2023-11-13T11:00:00', started: 600, position: 3600, total: 3600 });
  expect(textOf((await visitor.get('/')).html)).not.toContain('min left');
});

it('lists the newest unplayed episodes of the subscriptions', async () => {
  const server = await openListening();
  const visitor = await signIn(server);
  await subscribe(server, 'phone', 'a');
  await upload(
    server,
    { number: 3, timestamp: '2023-11-13T10:00:00', started: 0, position: 60, total: 600 },
    { number: 2, timestamp: '2023-11-13T10:00:00', action: 'download' },
  );
  const [, fresh] = (await visitor.get('/')).html.split('<h2>New episodes</h2>');
  const shown = textOf(fresh!.split('</section>')[0]!);
  expect(shown.trim()).toBe('a 2 <b> Show "a" · 6 Nov 2023 a 1 <b> Show "a" · 5 Nov 2023');
  const episode = `/episode?podcast=${encodeURIComponent(feed('a'))}&amp;url=${encodeURIComponent(media('a', 2))}`;
  expect(fresh).toContain(`href="http://localhost${episode}"`);
});

/** Titles on a part of the home page of bob, in order. */
async function titlesUnder(server: TestServer, heading: string): Promise<string[]> {
  const { html } = await (await signIn(server)).get('/');
  const part = html.split(`<h2>${heading}</h2>`)[1]!.split('</section>')[0]!;
  return textOf(part).match(/\b[ab] \d+(?= <b>)/g) ?? [];
}

it('lists the eight newest unplayed episodes, even if as many newer ones were played', async () => {
  const server = await openListening();
  await subscribe(server, 'phone', 'a');
  const numbers = Array.from({ length: 20 }, (_, n) => 20 - n);
  const episodes = numbers.map((number) => ({
    url: media('a', number),
    title: `a ${number} <b>`,
    releasedAt: server.clock.now - 3600 * (30 - number),
  }));
  await recordFeed(server.storage, feed('a'), {}, episodes);
  const play = { timestamp: '2023-11-13T10:00:00', started: 0, position: 60, total: 600 };
  await upload(server, ...numbers.slice(0, 8).map((number) => ({ ...play, number })));
  expect(await titlesUnder(server, 'New episodes')).toEqual(numbers.slice(8, 16).map((number) => `a ${number}`));
});

it('lists an episode that was marked as new among the new ones again', async () => {
  const server = await openListening();
  await subscribe(server, 'phone', 'a');
  await upload(
    server,
    { number: 3, timestamp: '2023-11-13T10:00:00', started: 0, position: 600, total: 600 },
    { number: 3, timestamp: '2023-11-13T11:00:00', action: 'new' },
  );
  expect(await titlesUnder(server, 'New episodes')).toEqual(['a 3', 'a 2', 'a 1']);
});

it('knows the episodes of a moved podcast that were played under either of its addresses', async () => {
  const server = await openListening();
  await subscribe(server, 'phone', 'a');
  await recordFeed(server.storage, feed('a'), { title: 'Moved show' }, [], { movedTo: feed('moved') });
  const play = { timestamp: '2023-11-13T10:00:00', started: 0, position: 600, total: 600 };
  await upload(server, { ...play, number: 3 });
  const body = [{ ...play, podcast: feed('moved'), episode: media('a', 2), action: 'play' }];
  await server.request('POST', '/api/2/episodes/bob.json', { auth: 'bob:secret', body });
  expect(await titlesUnder(server, 'New episodes')).toEqual(['a 1']);
  expect(textOf((await (await signIn(server)).get('/')).html)).toContain('a 1 <b> Moved show');
});

it('knows the episodes that were played under a former URL or their GUID', async () => {
  const server = await openListening();
  await subscribe(server, 'phone', 'a');
  const episodes = [3, 2, 1].map((number) => ({
    url: media('a', number),
    guid: `g${number}`,
    title: `a ${number} <b>`,
  }));
  await recordFeed(server.storage, feed('a'), {}, episodes);
  const play = { podcast: feed('a'), timestamp: '2023-11-13T10:00:00' };
  await upload(server, { number: 3, timestamp: play.timestamp, started: 0, position: 600, total: 600 });
  const body = [{ ...play, episode: 'g2', action: 'play', position: '00:10:00' }];
  expect((await server.request('POST', '/api/1/episodes/bob.json', { auth: 'bob:secret', body })).status).toBe(200);
  const moved = episodes.map((episode) => ({ ...episode, url: `${episode.url}?moved` }));
  await recordFeed(server.storage, feed('a'), {}, moved);
  expect(await titlesUnder(server, 'New episodes')).toEqual(['a 1']);
});

it('lists up to six episodes in progress, but none that was only opened', async () => {
  const server = await openListening();
  const play = { podcast: 'b', started: 0, total: 600 };
  const plays = Array.from({ length: 8 }, (_, n) => ({
    ...play,
    number: n,
    position: n === 7 ? 0 : 60,
    timestamp: `2023-11-13T10:00:0${n}`,
  }));
  await recordFeed(
    server.storage,
    feed('b'),
    {},
    plays.map(({ number }) => ({ url: media('b', number), title: `b ${number} <b>` })),
  );
  await upload(server, ...plays);
  expect(await titlesUnder(server, 'Continue listening')).toEqual([6, 5, 4, 3, 2, 1].map((number) => `b ${number}`));
});

it('shows the start page to a user whose app has uploaded only plays', async () => {
  const server = await openTestServer();
  await upload(server, { timestamp: '2023-11-13T10:00:00', started: 0, position: 60, total: 600 });
  const { html } = await (await signIn(server)).get('/');
  expect(html).toContain('<h2>Continue listening</h2>');
  expect(html).not.toContain('data-waiting');
});

it('shows the listening time of each of the last 30 days, and the devices', async () => {
  const server = await openListening();
  await upload(
    server,
    { device: 'phone', timestamp: '2023-11-14T10:00:00', started: 0, position: 600, total: 3600 },
    { device: 'phone', timestamp: '2023-10-16T00:00:00', started: 0, position: 60, total: 3600 },
    { device: 'phone', timestamp: '2023-10-15T23:59:59', started: 0, position: 60, total: 3600 },
    // From a phone with a wrong clock.
    { device: 'phone', timestamp: '2023-11-15T00:00:00', started: 0, position: 60, total: 3600 },
  );
  const { html } = await (await signIn(server)).get('/');
  expect(textOf(html)).toContain('Last 30 days 11 min listened');
  expect(html.match(/<rect [^>]*class="(mark|none)"/g)).toHaveLength(30);
  expect(html).toContain('<tr><th scope="row">14 Nov</th><td class="number">10 min</td></tr>');
  expect(textOf(html)).toMatch(/phone Other · 2 subscriptions Last sync 14 Nov 2023, .* UTC/);
});

it('does not show the time of a play as a sync, nor does the page Devices', async () => {
  const server = await openListening();
  const play = { timestamp: '2023-11-13T10:00:00', started: 0, position: 600, total: 3600 };
  await upload(server, { ...play, device: 'phone' }, { ...play, device: 'tv' });
  const visitor = await signIn(server);
  for (const path of ['/', '/devices']) {
    expect(textOf((await visitor.get(path)).html), path).toContain('tv Other · 0 subscriptions No sync recorded');
  }
});

it('a name in Arabic reorders no other fact of its line', async () => {
  const server = await openListening();
  const caption = 'هاتف سلمى';
  await server.request('POST', '/api/2/devices/bob/phone.json', { auth: 'bob:secret', body: { caption } });
  await upload(server, { device: 'phone', timestamp: '2023-11-13T10:00:00', started: 0, position: 600, total: 3600 });
  const visitor = await signIn(server);
  expect((await visitor.get('/')).html).toContain(`<bdi>50 min left</bdi> · <bdi>${caption}</bdi> · <bdi><time`);
  for (const path of ['/devices', '/history', '/statistics']) {
    expect((await visitor.get(path)).html, path).toMatch(new RegExp(`<bdi>(<a [^>]*>)?${caption}</`));
  }
});
