import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { toNodeHandler } from 'h3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createSample } from '../../src/metrics/sample.ts';
import { openPodsync } from '../../src/podsync.ts';
import { makeFolder } from '../folder.ts';
import { listen } from '../listen.ts';
import { quickHasher } from '../server.ts';

const START = 1_700_000_000;
const DAY = 86_400;

/** A server with metrics, the account bob, and requests that resolve once they were reported. */
async function open() {
  const data = await makeFolder();
  const clock = { now: START };
  const reported: (() => void)[] = [];
  const podsync = await openPodsync(
    {
      data,
      fetch: false,
      metrics: { allow: '127.0.0.1' },
      backups: { folder: join(data, 'backups'), every: DAY, keep: 1 },
      log: () => undefined,
      onRequest: () => reported.shift()?.(),
    },
    { now: () => clock.now, hasher: quickHasher },
  );
  onTestFinished(() => podsync.close());
  await podsync.services.accounts.create({ name: 'bob', password: 'secret' });
  const { origin, port } = await listen(toNodeHandler(podsync.publicApp));
  const nextReport = (): Promise<void> => new Promise((resolve) => reported.push(resolve));
  const request = async (method: string, path: string, body?: unknown): Promise<any> => {
    const isReported = nextReport();
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization: `Basic ${btoa('bob:secret')}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    await isReported;
    return text;
  };
  /** The samples, by name and labels. */
  const scrape = async (): Promise<ReadonlyMap<string, number>> => {
    const lines = (await request('GET', '/metrics')).split('\n').filter((line: string) => !/^(?:#|$)/.test(line));
    return new Map(lines.map((line: string) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)![0])]));
  };
  return { podsync, clock, data, port, request, nextReport, scrape };
}

const FEED = 'http://example.org/feed';
const PLAY = { podcast: FEED, episode: 'http://example.org/1.mp3', action: 'play', position: 5 };

it('count requests by route and status, whatever the path', async () => {
  const { request, scrape } = await open();
  for (const path of ['/subscriptions/bob/a.json', '/subscriptions/bob/b.json', '/no/thing', '/x?y', '/health']) {
    await request('GET', path);
  }
  await request('PUT', '/health');
  const samples = await scrape();
  const list = 'method="GET",route="/subscriptions/:user/:device.:format"';
  expect(Object.fromEntries(samples)).toMatchObject({
    [`podsync_http_requests_total{${list},status="404"}`]: 2,
    [`podsync_http_request_duration_seconds_count{${list}}`]: 2,
    'podsync_http_requests_total{method="GET",route="none",status="404"}': 2,
    'podsync_http_requests_total{method="GET",route="/health",status="200"}': 1,
    'podsync_http_requests_total{method="PUT",route="/health",status="405"}': 1,
  });
  expect([...samples.keys()].filter((key) => /bob|example|\/no\/|\?y/.test(key))).toEqual([]);
});

it('count a request whose client disconnects before the response as aborted', async () => {
  const { port, nextReport, scrape } = await open();
  const isReported = nextReport();
  const socket = connect(port, '127.0.0.1');
  const head = 'POST /api/2/episodes/bob.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n';
  socket.write(`${head}Authorization: Basic ${btoa('bob:secret')}\r\n\r\nx`, () => socket.resetAndDestroy());
  await isReported;
  const labels = 'method="POST",route="/api/2/episodes/:user.:format",status="aborted"';
  expect((await scrape()).get(`podsync_http_requests_total{${labels}}`)).toBe(1);
});

it('count uploads and the actions in them, and how long changes have waited for a device', async () => {
  const { clock, request, scrape } = await open();
  const subscribe = (name: string) =>
    request('POST', '/api/2/subscriptions/bob/phone.json', { add: [`${FEED}/${name}`], remove: [] });
  await request('PUT', '/subscriptions/bob/tablet.json', [FEED]);
  await subscribe('a');
  const first = JSON.parse(await request('GET', '/api/2/subscriptions/bob/phone.json?since=0'));
  await request('POST', '/api/2/episodes/bob.json', [PLAY, { ...PLAY, position: 6 }]);
  const actions = JSON.parse(await request('GET', '/api/2/episodes/bob.json?since=0'));
  await request('POST', '/api/2/episodes/bob.json', [{ ...PLAY, action: 'nothing' }]);
  clock.now += 3 * 3600;
  await subscribe('b');
  await request('POST', '/api/2/episodes/bob.json', [{ ...PLAY, position: 7 }]);
  await request('GET', `/api/2/subscriptions/bob/phone.json?since=${first.timestamp}`);
  await request('GET', `/api/2/episodes/bob.json?since=${actions.timestamp}`);
  await request('GET', `/api/2/subscriptions/bob/phone.json?since=${clock.now + 100}`);
  const lag = (kind: string, le: number): string => `podsync_sync_lag_seconds_bucket{le="${le}",kind="${kind}"}`;
  expect(Object.fromEntries(await scrape())).toMatchObject({
    'podsync_uploads_total{kind="subscriptions"}': 3,
    'podsync_uploads_total{kind="actions"}': 2,
    podsync_actions_uploaded_total: 3,
    'podsync_last_upload_timestamp_seconds{kind="actions"}': clock.now,
    [lag('subscriptions', 3600)]: 0,
    [lag('subscriptions', 21_600)]: 1,
    'podsync_sync_lag_seconds_count{kind="subscriptions"}': 1,
    [lag('actions', 3600)]: 0,
    [lag('actions', 21_600)]: 1,
    'podsync_sync_lag_seconds_count{kind="actions"}': 1,
  });
});

it('have the state of sessions, feeds, storage, process and backups', async () => {
  const { podsync, clock, data, request, scrape } = await open();
  await request('POST', '/api/2/auth/bob/login.json');
  await request('PUT', '/subscriptions/bob/phone.json', [FEED, 'http://example.net/2']);
  await podsync.services.backups!.runIfDue();
  const samples = await scrape();
  expect(Object.fromEntries(samples)).toMatchObject({
    podsync_sessions: 1,
    podsync_feeds: 2,
    podsync_feeds_due: 2,
    podsync_feeds_failing: 0,
    podsync_backup_last_success_timestamp_seconds: clock.now,
    podsync_backup_failures_total: 0,
  });
  for (const name of [
    'podsync_storage_operation_duration_seconds_count{operation="commit"}',
    'podsync_write_ahead_log_bytes',
    'podsync_backup_size_bytes',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'podsync_heap_used_bytes',
  ]) {
    expect(samples.get(name), name).toBeGreaterThan(0);
  }
  expect(samples.get('podsync_event_loop_delay_seconds{statistic="max"}')).toBeGreaterThanOrEqual(0);

  await rm(join(data, 'backups'), { recursive: true });
  clock.now += DAY;
  podsync.services.transfer.export = () => Promise.reject(new Error('damaged'));
  await podsync.services.backups!.runIfDue();
  expect((await scrape()).get('podsync_backup_failures_total')).toBe(1);
});

/** The names of metrics in the queries of the dashboard. */
const named = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b(?:podsync|process)_\w+/g)].map(([name]) => name)),
];

it('include every name in the queries of the dashboard and in the documentation', async () => {
  const { podsync, request, scrape } = await open();
  await request('PUT', '/subscriptions/bob/phone.json', [FEED]);
  const first = JSON.parse(await request('GET', '/api/2/subscriptions/bob/phone.json?since=0'));
  await request('PUT', '/subscriptions/bob/phone.json', [`${FEED}/2`]);
  await request('GET', `/api/2/subscriptions/bob/phone.json?since=${first.timestamp}`);
  await podsync.services.backups!.runIfDue();
  const text: string = await request('GET', '/metrics');
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  const samples = new Set([...(await scrape()).keys()].map((key) => key.replace(/\{.*/, '')));

  const { panels, templating } = JSON.parse(readExample('examples/grafana/podsync.json'));
  const queries: string[] = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr));
  expect(queries.length).toBeGreaterThan(20);
  const variables: string[] = templating.list.map(({ query }: any) => query);
  const inDashboard = named([...queries, ...variables].join('\n'));
  const isKnown = (name: string): boolean => samples.has(name) || types.get(name) === 'counter';
  expect(inDashboard.filter((name) => !isKnown(name))).toEqual([]);

  const page = readExample('docs/monitoring.md');
  const documented = named(page.slice(page.indexOf('| Metric |')));
  expect(documented.filter((name) => !types.has(name))).toEqual([]);
  expect([...types.keys()].filter((name) => !documented.includes(name))).toEqual([]);
});

const readExample = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

it('a count that takes too long is missing', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const found = createSample(() => new Promise(() => undefined))();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await found).toBeUndefined();
});

it('a count that fails is missing, and is tried again', async () => {
  let loads = 0;
  const results = [Promise.reject(new Error('the storage is unavailable')), Promise.resolve(7)];
  const sample = createSample(() => results[loads++]!, 0);
  expect([await sample(), await sample(), loads]).toEqual([undefined, 7, 2]);
});

it('a count is not repeated at every scrape', async () => {
  let loads = 0;
  const sample = createSample(async () => ++loads);
  expect([await sample(), await sample()]).toEqual([1, 1]);
});
