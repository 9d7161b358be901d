import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import type { TestServer } from '../server.ts';
import { openVisitor, signIn } from './browser.ts';
import { feed, openListening, subscribe, textOf, upload } from './listener.ts';

const auth = 'bob:secret';

async function read({ request }: TestServer, query = ''): Promise<any> {
  const answer = await request('GET', `/api/podsync/1/statistics/bob.json${query}`, { auth });
  expect(answer.status).toBe(200);
  return answer.json();
}

async function openPlayed(): Promise<TestServer> {
  const server = await openListening();
  await upload(
    server,
    // Today is Tuesday, the 14th.
    { device: 'phone', timestamp: '2023-11-14T08:30:00', started: 0, position: 600, total: 3600 },
    { device: 'phone', timestamp: '2023-11-14T08:59:59', started: 600, position: 3580, total: 3600 },
    { podcast: 'b', device: 'tv', timestamp: '2023-11-13T23:00:00', started: 0, position: 60, total: 600 },
    { podcast: 'b', timestamp: '2023-11-11T07:00:00', started: 0, position: 30, total: 600 },
    { podcast: 'b', number: 2, device: 'tv', timestamp: '2023-08-17T07:00:00', started: 0, position: 60, total: 600 },
    { podcast: 'b', number: 2, device: 'tv', timestamp: '2022-11-15T07:00:00', started: 0, position: 60, total: 600 },
    {
      podcast: 'b',
      number: 3,
      device: 'tv',
      timestamp: '2021-03-05T07:00:00',
      started: 540,
      position: 600,
      total: 600,
    },
    // Without times there is no listening time.
    { podcast: 'c', device: 'watch', timestamp: '2023-11-12T07:00:00' },
    { podcast: 'c', timestamp: '2023-11-12T07:00:01', position: 600 },
    { podcast: 'c', timestamp: '2023-11-12T07:00:02', started: 600, position: 60, total: 6000 },
    { podcast: 'c', timestamp: '2023-11-12T07:00:03', action: 'download' },
    // Marked as played by an app.
    { podcast: 'c', number: 9, timestamp: '2023-11-12T07:00:04', started: 6000, position: 6000, total: 6000 },
    // From a phone with a wrong clock.
    { podcast: 'c', timestamp: '2043-11-12T07:00:00', started: 0, position: 60, total: 6000 },
  );
  return server;
}

it('counts what apps reported of the last 30 days', async () => {
  const server = await openPlayed();
  const { periods, hours, ...counted } = await read(server);
  expect(counted).toEqual({
    range: '30d',
    from: '2023-10-16',
    to: '2023-11-14',
    listened: 3670,
    plays: 4,
    days: 3,
    longest_streak: 2,
    finished_episodes: 2,
    step: 'day',
    podcasts: [
      { url: feed('a'), title: 'Show "a"', listened: 3580 },
      { url: feed('b'), title: 'Show "b"', listened: 90 },
    ],
    devices: [
      { id: 'phone', listened: 3580 },
      { id: 'tv', listened: 60 },
      { id: null, listened: 30 },
    ],
  });
  expect(periods).toHaveLength(30);
  expect(periods.slice(-4)).toEqual([
    { start: '2023-11-11', listened: 30 },
    { start: '2023-11-12', listened: 0 },
    { start: '2023-11-13', listened: 60 },
    { start: '2023-11-14', listened: 3580 },
  ]);
  expect([hours[1][8], hours[0][23], hours[5][7]]).toEqual([3580, 60, 30]);
  expect(hours.flat().reduce((sum: number, each: number) => sum + each)).toBe(3670);
});

it.each([
  ['90d', '2023-08-17', 'day', '2023-08-18', 90, 3730],
  ['year', '2022-11-15', 'week', '2022-11-21', 53, 3790], // a Monday
  ['all', '2021-03-05', 'month', '2021-04-01', 33, 3850],
])('%s starts at %s and has steps of a %s, the next from %s', async (range, from, step, next, periods, listened) => {
  const counted = await read(await openPlayed(), `?range=${range}`);
  expect(counted).toMatchObject({ range, from, step, listened });
  expect(counted.periods).toHaveLength(periods);
  expect(counted.periods[1].start).toBe(next);
  const sum = counted.periods.reduce((total: number, each: { listened: number }) => total + each.listened, 0);
  expect(sum).toBe(listened);
});

it('a history of many years is shown by year', async () => {
  const server = await openListening();
  await upload(server, { timestamp: '1999-05-01T00:00:00', started: 0, position: 60, total: 600 });
  const { step, periods } = await read(server, '?range=all');
  expect([step, periods.length, periods[0].start, periods[1].start]).toEqual(['year', 25, '1999-05-01', '2000-01-01']);
});

it.each([
  ['2018-11-10T00:00:00', 'month', 61],
  ['2018-11-09T00:00:00', 'year', 6],
])('a history since %s is shown by %s', async (timestamp, step, periods) => {
  const server = await openListening();
  await upload(server, { timestamp, started: 0, position: 60, total: 600 });
  const counted = await read(server, '?range=all');
  expect([counted.step, counted.periods.length]).toEqual([step, periods]);
});

it('the whole history begins with the first play that has a listening time, and without one today', async () => {
  const server = await openListening();
  await upload(
    server,
    { timestamp: '2020-01-01T10:00:00', action: 'download' },
    { timestamp: '2020-01-01T11:00:00', position: 60 },
    { timestamp: '2043-11-12T07:00:00', started: 0, position: 60, total: 600 },
  );
  expect(await read(server, '?range=all')).toMatchObject({ from: '2023-11-14', to: '2023-11-14', listened: 0 });
  await upload(server, { timestamp: '2021-01-01T10:00:00', started: 0, position: 60, total: 600 });
  expect(await read(server, '?range=all')).toMatchObject({ from: '2021-01-01', listened: 60 });
});

it('the longest streak may have ended long ago', async () => {
  const server = await openListening();
  const days = ['01', '02', '03', '05', '13', '14'];
  const play = { started: 0, position: 60, total: 600 };
  await upload(server, ...days.map((day) => ({ ...play, timestamp: `2023-11-${day}T10:00:00` })));
  expect(await read(server)).toMatchObject({ days: 6, longest_streak: 3 });
});

it('an episode that has become longer since stays finished, and one without a reported end is not', async () => {
  const server = await openListening();
  await upload(
    server,
    { number: 1, timestamp: '2023-11-13T08:00:00', started: 0, position: 3590, total: 3600 },
    { number: 1, timestamp: '2023-11-13T09:00:00', started: 0, position: 5, total: 3700 },
  );
  expect(await read(server)).toMatchObject({ finished_episodes: 1 });
  await upload(
    server,
    { number: 2, timestamp: '2023-11-13T10:00:00', position: 3590 },
    { number: 2, timestamp: '2023-11-13T11:00:00', started: 0, position: 5, total: 3600 },
  );
  expect(await read(server)).toMatchObject({ finished_episodes: 1 });
});

it.each([
  [0, 3570, 3600],
  [1, 3571, 3600],
  [0, 0, 20],
  [1, 1, 20],
  [0, 5, 0],
])('%i episodes are finished by a play that stopped at %i of %i seconds', async (finished, position, total) => {
  const server = await openListening();
  await upload(server, { timestamp: '2023-11-13T08:00:00', started: 0, position, total });
  expect(await read(server)).toMatchObject({ finished_episodes: finished });
});

it('lists the 20 podcasts that were listened to most; one without a title has its address', async () => {
  const server = await openListening();
  const play = { timestamp: '2023-11-14T08:00:00', started: 0, total: 6000 };
  await subscribe(server, 'phone', 'n20');
  await recordFeed(server.storage, feed('n20'));
  await upload(
    server,
    ...Array.from({ length: 21 }, (_, n) => ({ ...play, podcast: `n${n}`, position: 60 * (n + 1) })),
  );
  const { podcasts } = await read(server);
  expect(podcasts.map(({ title }: { title: string }) => title)).toEqual(
    Array.from({ length: 20 }, (_, n) => feed(`n${20 - n}`)),
  );
});

it('two addresses of one podcast are one', async () => {
  const server = await openPlayed();
  await subscribe(server, 'phone', 'a', 'b', 'moved');
  await upload(server, { podcast: 'moved', timestamp: '2023-11-14T09:00:00', started: 0, position: 60, total: 600 });
  await recordFeed(server.storage, feed('a'), { title: 'Moved' }, [], { movedTo: feed('moved') });
  const { podcasts } = await read(server);
  expect(podcasts[0]).toEqual({ url: feed('moved'), title: 'Moved', listened: 3640 });
  const visitor = await signIn(server);
  const { html } = await visitor.get(`/history?podcast=${encodeURIComponent(feed('a'))}`);
  expect(html.match(/Played/g)).toHaveLength(3 + 1); // and once in the form
});

it('the range moves on at midnight, even if nothing was uploaded since', async () => {
  const server = await openPlayed();
  expect(await read(server)).toMatchObject({ from: '2023-10-16', to: '2023-11-14' });
  server.clock.now += 86_400;
  expect(await read(server)).toMatchObject({ from: '2023-10-17', to: '2023-11-15' });
});

it('the statistics are only for their owner', async () => {
  const { request } = await openPlayed();
  const path = '/api/podsync/1/statistics/bob.json';
  expect((await request('GET', path)).status).toBe(401);
  expect((await request('GET', path, { auth: 'eve:secret' })).status).toBe(403);
  expect((await request('GET', `${path}?range=`, { auth })).status).toBe(200);
  const wrong = await request('GET', `${path}?range=7d`, { auth });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('30d, 90d, year, all')]);
});

it('a page shows them as charts, each with a table', async () => {
  const server = await openPlayed();
  const visitor = await signIn(server);
  const { html } = await visitor.get('/statistics');
  const text = textOf(html);
  expect(text).toContain('Listened 1 h 1 min Per listening day 20 min Longest streak 2 days Episodes finished 2');
  expect(html).toContain('<tr><th scope="row">14 Nov 2023</th><td class="number">1 h</td></tr>');
  expect(html.match(/<figure>/g)).toHaveLength(html.match(/<details class="chart-data">/g)!.length);
  expect(text).toContain('08:00 1 h'); // on Tuesdays
  expect(html).toContain('<title>Tuesday, 08:00: 1 h</title>');
  expect(text).toContain('Unknown device 30 s');
  expect(html).toContain('aria-current="true">30 days</a>');
  expect(html).not.toMatch(/style=|NaN|undefined/);
  const year = await visitor.get('/statistics?range=year');
  expect(year.html).toContain('<h2>Listening time by week</h2>');
  expect((await visitor.get('/statistics?range=7d')).status).toBe(400);
});

it('draws each bar and cell in proportion to the largest one, and also those without listening time', async () => {
  const { html } = await (await signIn(await openPlayed())).get('/statistics');
  const [days, week, ...shares] = [...html.matchAll(/<svg class="chart[^]*?<\/svg>/g)].map(([chart]) => chart);
  expect(days).toContain('viewBox="0 0 300 100"');
  expect(days).toContain(
    '<rect x="271" y="99.5" width="8" height="0.5" class="none"><title>12 Nov 2023: 0 min</title></rect>' +
      '<rect x="281" y="98" width="8" height="2" class="mark"><title>13 Nov 2023: 1 min</title></rect>' +
      '<rect x="291" y="0" width="8" height="100" class="mark"><title>14 Nov 2023: 1 h</title></rect>',
  );
  expect(week).toContain('viewBox="0 0 240 70"');
  const cell = 'width="9" height="9" class="mark" fill-opacity';
  expect(week).toContain(`<rect x="230.5" y="0.5" ${cell}="0.16"><title>Monday, 23:00: 1 min</title></rect>`);
  expect(week).toContain(`<rect x="80.5" y="10.5" ${cell}="1.00"><title>Tuesday, 08:00: 1 h</title></rect>`);
  expect(week).toContain('class="none"><title>Tuesday, 09:00: 0 min</title></rect>');
  expect(shares.map((chart) => /class="mark" width="(\d+)"/.exec(chart)![1])).toEqual(['100', '3', '100', '2', '1']);
  expect(html).toContain('<span>16 Oct 2023</span><span>14 Nov 2023</span>');
  expect(html).toContain('<th scope="row">08:00</th><td class="number"></td><td class="number">1 h</td>');
});

it('its links lead to the podcast, the history of a device by name, and the same numbers as JSON', async () => {
  const server = await openPlayed();
  await server.request('POST', '/api/2/devices/bob/tv.json', { auth, body: { caption: 'Living room' } });
  const visitor = await signIn(server);
  const { html } = await visitor.get('/statistics?range=year');
  expect(html).toContain('<a href="http://localhost/history?device=tv">Living room</a>');
  expect(html).toContain(
    `<a href="http://localhost/podcast?url=${encodeURIComponent(feed('a'))}">Show "a"</a>`.replaceAll(
      '"a"',
      '&quot;a&quot;',
    ),
  );
  const json = /href="http:\/\/localhost([^"]*)">JSON</.exec(html)![1]!;
  expect(JSON.parse((await visitor.get(json)).html)).toMatchObject({ range: 'year', listened: 3790 });
});

it('shows one day in the singular, and finished episodes without listening time', async () => {
  const server = await openListening();
  const visitor = await signIn(server);
  const read = async (): Promise<string> => textOf((await visitor.get('/statistics')).html);
  expect(await read()).toContain('No app has reported listening time in this range.');
  await upload(server, { timestamp: '2023-11-13T10:00:00', started: 600, position: 600, total: 600 });
  expect(await read()).toContain('Listened 0 min Per listening day 0 min Longest streak 0 days Episodes finished 1');
  await upload(server, { number: 2, timestamp: '2023-11-14T10:00:00', started: 0, position: 60, total: 600 });
  expect(await read()).toContain('Listened 1 min Per listening day 1 min Longest streak 1 day Episodes finished 1');
});

it('without listening time the page explains it', async () => {
  const { html } = await (await signIn(await openListening())).get('/statistics?range=all');
  expect(html).toContain('No app has reported listening time yet.');
  expect((await openVisitor(await openListening()).get('/statistics')).location).toBe(
    'http://localhost/login?next=%2Fstatistics',
  );
});
