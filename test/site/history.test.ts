import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import type { Visitor } from './browser.ts';
import { decode, openVisitor, signIn } from './browser.ts';
import { feed, media, openListening, subscribe, textOf, upload } from './listener.ts';

/** Link of the page to older or newer actions. */
const linkOf = (html: string, rel: 'prev' | 'next'): string | undefined =>
  new RegExp(`<a href="http://localhost([^"]*)" rel="${rel}">`).exec(html)?.[1]?.replaceAll('&amp;', '&');

/** Titles of the episodes on a page, in order. */
const numbersOn = (html: string): number[] =>
  [...html.matchAll(/url=http%3A%2F%2Fmedia\.example%2Fa%2F(\d+)\.mp3"/g)].map(([, number]) => Number(number));

const at = (minute: number): string => new Date(1_699_000_000_000 + minute * 60_000).toISOString().slice(0, 19);

it('lists actions by day, the newest first, however late they were uploaded', async () => {
  const server = await openListening();
  await upload(
    server,
    { number: 1, device: 'phone', timestamp: '2023-11-13T10:05:00', started: 60, position: 4000, total: 5000 },
    { podcast: 'b', number: 1, timestamp: '2023-11-14T09:00:00', action: 'download' },
    { number: 2, timestamp: '2023-11-13T09:00:00', started: 10, position: 10, total: 600 },
  );
  await upload(server, { podcast: 'new', number: 7, timestamp: '2023-11-13T10:00:00', position: 5 });
  const { html } = await (await signIn(server)).get('/history');
  expect(textOf(html)).toContain(
    `Tuesday, 14 November 2023 b 1 <b> Show "b" 09:00 · Downloaded Monday, 13 November 2023 ` +
      `a 1 <b> Show "a" 10:05 · Played 1:00 to 1:06:40 of 1:23:20 · phone ` +
      `${media('new', 7)} ${feed('new')} 10:00 · Played to 0:05 ` +
      `a 2 <b> Show "a" 09:00 · Played 0:10 to 0:10 of 10:00`,
  );
});

it('its pages stay the same, and complete, while apps upload', async () => {
  const server = await openListening();
  const actions = Array.from({ length: 120 }, (_, n) => ({ number: n, action: 'download', timestamp: at(n) }));
  // All within one minute, so that time alone does not distinguish them.
  await upload(server, ...actions.map((action, n) => ({ ...action, timestamp: n < 100 ? at(0) : action.timestamp })));
  const visitor = await signIn(server);
  const first = (await visitor.get('/history')).html;
  await upload(server, { number: 500, action: 'download', timestamp: at(500) });
  const second = (await visitor.get(linkOf(first, 'next')!)).html;
  const third = (await visitor.get(linkOf(second, 'next')!)).html;
  expect([first, second, third].flatMap(numbersOn)).toEqual(Array.from({ length: 120 }, (_, n) => 119 - n));
  expect(linkOf(third, 'next')).toBeUndefined();
  expect(linkOf(first, 'prev')).toBeUndefined();

  const back = (await visitor.get(linkOf(third, 'prev')!)).html;
  expect(numbersOn(back)).toEqual(numbersOn(second));
  const top = (await visitor.get(linkOf(back, 'prev')!)).html;
  expect(numbersOn(top)).toEqual(numbersOn(first));
  expect(numbersOn((await visitor.get(linkOf(top, 'prev')!)).html)).toEqual([500]);
});

const FILTERS: [query: string, numbers: number[]][] = [
  ['', [4, 3, 2, 1]],
  ['?device=tv', [4, 2]],
  ['?device=nothing', []],
  ['?action=delete', [3]],
  [`?podcast=${encodeURIComponent(feed('a'))}&device=phone`, [3, 1]],
  ['?podcast=http://feeds.example/none', []],
  ['?from=2023-11-11', [4, 3, 2]],
  ['?to=2023-11-11', [2, 1]],
  ['?from=2023-11-11&to=2023-11-11&device=&action=', [2]],
];

async function openFiltered(): Promise<Visitor> {
  const server = await openListening();
  await upload(
    server,
    { number: 1, device: 'phone', timestamp: '2023-11-10T23:59:59', position: 1 },
    { number: 2, device: 'tv', timestamp: '2023-11-11T00:00:00', position: 1 },
    { number: 3, device: 'phone', timestamp: '2023-11-12T10:00:00', action: 'delete' },
    { number: 4, device: 'tv', timestamp: '2023-11-13T10:00:00', started: 1, position: 2, total: 3 },
  );
  return signIn(server);
}

it.each(FILTERS)('/history%s shows %j, and downloads contain the same', async (query, numbers) => {
  const visitor = await openFiltered();
  const { status, html } = await visitor.get(`/history${query}`);
  expect([status, numbersOn(html)]).toEqual([200, numbers]);
  if (numbers.length === 0) expect(html).toContain('Nothing in your history matches.');
  const [, unknown] = /=(.*no(?:ne|thing))$/.exec(query) ?? [];
  if (unknown) expect(html).toContain(`<option value="${unknown}" selected>${unknown}</option>`);
  const urls = numbers.map((number) => media('a', number));
  const json = await visitor.get(`/history.json${query}`);
  expect((JSON.parse(json.html) as { episode: string }[]).map(({ episode }) => episode)).toEqual(urls);
  const csv = await visitor.get(`/history.csv${query}`);
  const rows = csv.html.trimEnd().split('\r\n').slice(1);
  expect(rows.map((row) => /http:\/\/media[^,]*/.exec(row)![0])).toEqual(urls);
});

it('keeps the filter in its form, on further pages and in downloads, which have all pages', async () => {
  const server = await openListening();
  await server.request('POST', '/api/2/devices/bob/phone.json', { auth: 'bob:secret', body: { caption: 'Pixel' } });
  const actions = Array.from({ length: 60 }, (_, n) => ({
    number: n,
    device: 'phone',
    action: 'new',
    timestamp: at(n),
  }));
  await upload(server, ...actions, { podcast: 'b', device: 'tv', action: 'delete', timestamp: at(1) });
  const query = { podcast: feed('a'), device: 'phone', action: 'new', from: '2023-11-03', to: '2023-11-04' };
  const visitor = await signIn(server);
  let path = `/history?${new URLSearchParams(query).toString()}`;
  for (const count of [50, 10, 50, 10]) {
    const { html } = await visitor.get(path);
    expect(numbersOn(html)).toHaveLength(count);
    expect([...html.matchAll(/<option value="([^"]*)" selected>/g)].map(([, value]) => value)).toEqual(
      Object.values(query).slice(0, 3),
    );
    expect(html).toContain('<option value="phone" selected>Pixel</option>');
    for (const name of ['from', 'to'] as const) {
      expect(html).toContain(`name="${name}" type="date" value="${query[name]}"`);
    }
    const download = decode(/<a href="http:\/\/localhost([^"]*)" download>JSON</.exec(html)![1]!);
    expect(JSON.parse((await visitor.get(download)).html)).toHaveLength(60);
    path = linkOf(html, count === 50 ? 'next' : 'prev')!;
  }
});

it('downloads have all fields and a file name', async () => {
  const visitor = await openFiltered();
  const csv = await visitor.get('/history.csv?device=tv&from=2023-11-13');
  expect(csv.html).toBe(
    'time,action,podcast_title,podcast,episode,device,started,position,total\r\n' +
      `2023-11-13T10:00:00Z,play,"Show ""a""",${feed('a')},${media('a', 4)},tv,1,2,3\r\n`,
  );
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="podsync-history.csv"');
  expect(csv.headers.get('content-type')).toContain('text/csv');
  const json = await visitor.get('/history.json?device=tv&from=2023-11-13');
  expect(JSON.parse(json.html)).toEqual([
    {
      podcast: feed('a'),
      podcast_title: 'Show "a"',
      episode: media('a', 4),
      device: 'tv',
      action: 'play',
      timestamp: '2023-11-13T10:00:00',
      started: 1,
      position: 2,
      total: 3,
    },
  ]);
});

it('a download contains thousands of actions', async () => {
  const server = await openListening();
  for (let hundred = 0; hundred < 15; hundred += 1) {
    const numbers = Array.from({ length: 100 }, (_, n) => hundred * 100 + n);
    await upload(server, ...numbers.map((number) => ({ number, action: 'new', timestamp: at(number) })));
  }
  const visitor = await signIn(server);
  const all = JSON.parse((await visitor.get('/history.json')).html) as unknown[];
  expect(all).toHaveLength(1500);
  expect((await visitor.get('/history.csv')).html.split('\r\n')).toHaveLength(1502);
});

it.each([
  ['?from=2023-02-30', 'Enter a day such as 2026-01-31.'],
  ['?to=tomorrow', 'Enter a day such as 2026-01-31.'],
  ['?from=2023-11-12&to=2023-11-11', 'The last day is before the first.'],
  ['?action=tip', 'Choose one of download, play, delete, new.'],
])('/history%s shows the form again with the error, and no downloads', async (query, problem) => {
  const visitor = await openFiltered();
  const { status, html } = await visitor.get(`/history${query}`);
  expect([status, numbersOn(html)]).toEqual([400, []]);
  expect(html).not.toMatch(/history\.(csv|json)/);
  expect(html).toContain(`-error">${problem}</p>`);
  expect(html).toMatch(
    /aria-describedby="(action|from|to)-error" aria-invalid="true"[^>]*>[^]*<p class="error" id="\1-error">/,
  );
  expect(html).not.toContain('Nothing in your history matches.');
  expect((await visitor.get(`/history.csv${query}`)).status).toBe(400);
});

it('an invalid cursor is a 400', async () => {
  const visitor = await openFiltered();
  for (const cursor of ['yesterday', '%20', '0x0', '1e0', '99']) {
    expect((await visitor.get(`/history?before=${cursor}`)).status, cursor).toBe(400);
  }
  expect((await visitor.get('/history?after=1-2-3')).status).toBe(400);
});

/** The podcasts to filter by on a page, in order. */
const choicesOn = (html: string): string[] =>
  [
    ...html
      .split('name="podcast"')[1]!
      .split('</select>')[0]!
      .matchAll(/<option value="[^"]+"[^>]*>([^<]*)</g),
  ].map(([, title]) => title!);

it('offers the podcasts to filter by in the order of their titles, a moved one once', async () => {
  const server = await openListening();
  const names = ['moved', 'c', 'a', 'b', 'untitled'];
  await upload(server, ...names.map((podcast) => ({ podcast, timestamp: '2023-11-13T10:00:00', position: 1 })));
  await subscribe(server, 'phone', ...names);
  for (const [name, title] of [
    ['a', 'zebra'],
    ['b', 'Ärger'],
    ['c', 'Bees'],
    ['untitled', ''],
  ] as const) {
    await recordFeed(server.storage, feed(name), { title }, [], name === 'a' ? { movedTo: feed('moved') } : {});
  }
  const visitor = await signIn(server);
  expect(choicesOn((await visitor.get('/history')).html)).toEqual(['Ärger', 'Bees', feed('untitled'), 'zebra']);
});

it('of more than a thousand podcasts, offers those with the latest actions to filter by', async () => {
  const server = await openListening();
  const actions = Array.from({ length: 1001 }, (_, n) => ({ podcast: `${n}`, timestamp: at(n), action: 'new' }));
  await upload(server, ...actions);
  const choices = choicesOn((await (await signIn(server)).get('/history')).html);
  expect([choices.length, choices.includes(feed('0')), choices.includes(feed('1000'))]).toEqual([1000, false, true]);
  await upload(server, { podcast: '0', timestamp: at(2000), action: 'new' });
  const later = choicesOn((await (await signIn(server)).get('/history')).html);
  expect([later.length, later.includes(feed('0')), later.includes(feed('1'))]).toEqual([1000, true, false]);
});

it('a filter by a former address of a podcast shows what was played under its new one', async () => {
  const server = await openListening();
  await recordFeed(server.storage, feed('a'), {}, [], { movedTo: feed('moved') });
  await upload(server, { podcast: 'moved', timestamp: '2023-11-13T10:00:00', position: 1 });
  const { html } = await (await signIn(server)).get(`/history?podcast=${encodeURIComponent(feed('a'))}`);
  expect(textOf(html)).toContain('Played to 0:01');
});

it('is only for its owner', async () => {
  const server = await openListening();
  await upload(server, { timestamp: '2023-11-13T10:00:00', position: 1 });
  const signedOut = openVisitor(server);
  const { status, location } = await signedOut.get('/history.csv?device=tv');
  expect([status, location]).toEqual([303, 'http://localhost/login?next=%2Fhistory.csv%3Fdevice%3Dtv']);
  const { html } = await (await signIn(server, 'eve')).get('/history');
  expect(html).toContain('Nothing yet.');
  expect(html).not.toMatch(/<label|Download/);
});
