import { describe, expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { open, pull } from './fixtures.ts';
import type { HistoryRules, OtherAccount } from './other-server.ts';

const BEGIN = 1_600_000_000;
const time = (at: number): string => new Date(at * 1000).toISOString().slice(0, 19);

/** All podcasts that have actions. */
const FEEDS = Array.from({ length: 12 }, (_, n) => `https://feeds.example/${n}`);

type Action = OtherAccount['actions'][number];

/** Action number `n`: by default one a minute, over twelve podcasts, uploaded immediately. */
const action = (n: number, at = BEGIN + n * 60, uploadedAt = at): Action => ({
  podcast: FEEDS[n % 12],
  episode: `https://media.example/${n}.mp3`,
  action: 'play',
  timestamp: time(at),
  device: 'phone',
  started: null,
  position: n,
  total: null,
  uploadedAt,
});

const many = (count: number, make: (n: number) => Action = action): Action[] =>
  Array.from({ length: count }, (_, n) => make(n));

const HISTORIES: Record<string, Action[]> = {
  'uploaded immediately': many(3500),
  'a phone that was offline for weeks': many(3500, (n) =>
    action(n, BEGIN + n * 60, BEGIN + (n % 3 === 0 ? 4_000_000 + Math.floor(n / 90) : n * 60)),
  ),
  'years of another app, uploaded in batches of thirty': many(3500, (n) =>
    action(n, BEGIN - 100_000_000 + n * 60, BEGIN + Math.floor(n / 30) * 2),
  ),
  'more than a thousand in one second': many(3500, (n) => action(n, BEGIN + (n > 800 && n < 2600 ? 60_000 : n * 60))),
  'one from a clock that is decades ahead': many(3500, (n) =>
    n === 100 ? action(n, 3_500_000_000, BEGIN + n * 60) : action(n),
  ),
};

const RULES: Record<string, HistoryRules> = {
  'the specification': { by: 'upload time', order: 'upload', answers: 'now' },
  'a thousand, by own time, answering the last': {
    cap: 1000,
    by: 'own time',
    order: 'own time',
    answers: 'last delivered',
  },
  'a thousand, by own time, answering now': { cap: 1000, by: 'own time', order: 'own time', answers: 'now' },
  'a thousand, later than own time': {
    cap: 1000,
    by: 'own time',
    order: 'own time',
    isExclusive: true,
    answers: 'now',
  },
  'a thousand, by upload, answering the last': {
    cap: 1000,
    by: 'upload time',
    order: 'upload',
    answers: 'last delivered',
  },
  'a thousand, later than upload': {
    cap: 1000,
    by: 'upload time',
    order: 'upload',
    isExclusive: true,
    answers: 'last delivered',
  },
  'a thousand by own time in the order stored': { cap: 1000, by: 'own time', order: 'upload', answers: 'now' },
  'the newest thousand': { cap: 1000, by: 'own time', order: 'newest first', answers: 'now' },
  'the first thousand, whatever is requested': { cap: 1000, by: 'nothing', order: 'upload', answers: 'nothing' },
};

async function pullHistory(actions: Action[], rules: HistoryRules) {
  const other = await open({ devices: [{ id: 'phone' }], subscriptions: { phone: FEEDS }, actions }, rules);
  const server = await openTestServer();
  const report = await pull(server, other.url);
  const stored: string[] = [];
  const { id } = (await server.storage.users.find('bob'))!;
  for await (const page of (await server.storage.actions.query(id, {})).pages) {
    stored.push(...page.map(({ episode, timestamp, play }) => `${episode} ${timestamp} ${play?.position}`));
  }
  return { report, stored, requests: other.requests.length };
}

const expected = (actions: Action[]): string[] =>
  actions.map(({ episode, timestamp, position }) => `${episode} ${Date.parse(`${timestamp}Z`) / 1000} ${position}`);

describe.each(Object.entries(RULES))('%s', (_rules, rules) => {
  it.each(Object.entries(HISTORIES))('%s: copies each action once', async (_history, actions) => {
    const { report, stored } = await pullHistory(actions, rules);
    expect(stored.toSorted()).toEqual(expected(actions).toSorted());
    expect(report.actions).toBe(actions.length);
  });
});

/** All actions belong to one podcast, so only `since` leads to further pages. */
const toDaily = (actions: Action[]): Action[] =>
  actions.map((each) => ({ ...each, podcast: 'https://feeds.example/daily' }));

const WITH_PAGES = Object.entries(RULES).filter(
  ([, { by, order }]) => order === (by === 'own time' ? 'own time' : 'upload') && by !== 'nothing',
);

describe.each(WITH_PAGES)('a single podcast, %s', (_rules, rules) => {
  it.each(Object.entries(HISTORIES).filter(([title]) => !title.includes('in one second')))(
    '%s: stores each action once',
    async (_title, all) => {
      const { stored } = await pullHistory(toDaily(all), rules);
      expect(stored.toSorted()).toEqual(expected(all).toSorted());
    },
  );
});

it('copies all actions that have no time', async () => {
  const undated = many(1300, (n) => ({ ...action(n), timestamp: undefined }));
  const { report, stored } = await pullHistory(undated, RULES['a thousand, by own time, answering now']!);
  expect([stored.length, report.actions]).toEqual([1300, 1300]);
});

it('reads a short history with one request, whatever the server', async () => {
  for (const rules of Object.values(RULES)) {
    const { requests } = await pullHistory(many(100), rules);
    expect(requests).toBe(9); // devices, list and changes of a device, all, groups, actions, favorites, settings, lists
  }
});

it('reads the other podcasts after one that the server does not know', async () => {
  const unknown = 'https://feeds.example/unknown';
  const account = { devices: [{ id: 'phone' }], subscriptions: { phone: [unknown, ...FEEDS] }, actions: many(1300) };
  const other = await open(account, RULES['the newest thousand']);
  const query = `podcast=${encodeURIComponent(unknown)}`;
  other.intercept = (path) =>
    path.startsWith('/api/2/episodes/') && path.includes(query) ? { status: 404 } : undefined;
  const report = await pull(await openTestServer(), other.url);
  expect(report.actions).toBe(1300);
  expect(report.gaps.map(({ gap }) => gap)).not.toContainEqual(expect.stringMatching(/^episode actions/));
});

it('reports the podcast whose actions may be incomplete, without a password in its address', async () => {
  const actions = many(1300, (n) => ({
    ...action(n),
    podcast: `https://bob:hunter2@feeds.example/${n < 1200 ? 'daily' : 'other'}`,
  }));
  const { report, stored } = await pullHistory(actions, RULES['the newest thousand']!);
  expect(stored.length).toBeGreaterThanOrEqual(1100);
  expect(report.gaps.map(({ gap }) => gap)).toContainEqual(
    'episode actions of https://***@feeds.example/daily: the server returned 1000 at once, which may not be all',
  );
});
