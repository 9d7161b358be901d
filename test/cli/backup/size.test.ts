import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { BackupRecord } from '../../../src/formats/backup/record.ts';
import { writeBackup } from '../../../src/formats/backup/write.ts';
import { makeFolder } from '../../folder.ts';
import { createTestDatabase } from '../../postgres/database.ts';
import { run } from '../podsync.ts';

const FEEDS = 2000;
const ACTIONS = 200_000;
const PAGE = 1000;
const START = 1_700_000_000;
/** Maximum number of feeds in a list. */
const LIST = 1000;
const HASH = `$2b$10$${'x'.repeat(53)}`;
const DEVICES = ['phone', 'tablet', 'tv'] as const;
/** In MB. */
const MEMORY = 300;

const feed = (n: number): string => `https://feeds.example/${n}/rss.xml`;
const episode = (n: number): string => `https://media.example/${n % FEEDS}/episode-${n}.mp3`;

/** A large account, in pages. */
async function* createRecords(): AsyncIterable<BackupRecord[]> {
  const stamp = START + 2 * (FEEDS + ACTIONS);
  yield [{ kind: 'user', name: 'alice', email: 'a@example.org', passwordHash: HASH, createdAt: START, stamp }];
  yield DEVICES.map((id, index) => ({ kind: 'device', device: { id, caption: '', type: 'mobile' }, place: index + 1 }));
  yield [{ kind: 'group', devices: ['phone', 'tv'] }];
  yield Array.from({ length: FEEDS + 100 }, (_, n) => ({
    kind: 'subscription',
    device: 'tablet',
    url: feed(n),
    subscribed: n < FEEDS,
    stamp: START + 2 * n,
    place: n + 1,
  }));
  for (let at = 0; at < ACTIONS; at += PAGE) yield Array.from({ length: PAGE }, (_, n) => createAction(at + n));
  const values: [string, any][] = Array.from({ length: 50 }, (_, n) => [`key ${n}`, { is: [n, null, 'x'] }]);
  yield [{ kind: 'settings', scope: { kind: 'account' }, values }];
  yield [{ kind: 'settings', scope: { kind: 'device', device: 'phone' }, values }];
  const feeds = Array.from({ length: FEEDS }, (_, n) => feed(n)).toSorted();
  yield feeds.map((podcast) => ({ kind: 'settings', scope: { kind: 'podcast', podcast }, values: [['a', 1]] }));
  yield [{ kind: 'settings', scope: { kind: 'episode', podcast: feed(1), episode: episode(1) }, values }];
  yield Array.from({ length: 40 }, (_, n) => ({
    kind: 'list',
    list: { name: `list-${n}`, title: `List ${n}`, urls: feeds.slice(0, LIST) },
  }));
  yield [{ kind: 'session', digest: 'd'.repeat(43), expiresAt: Math.floor(Date.now() / 1000) + 86_400 }];
}

const createAction = (n: number): BackupRecord => ({
  kind: 'action',
  action: {
    podcast: feed(n % FEEDS),
    episode: episode(n),
    device: DEVICES[n % 3]!,
    guid: `guid-${n}`,
    action: 'play',
    timestamp: START + n,
    play: { position: n % 3000, started: 0, total: 3000 },
  },
  stamp: START + 2 * (FEEDS + n),
  uploadedAt: START + 2 * (FEEDS + n),
});

const PEAK = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) process.on('exit', () => writeSync(2, 'peak ' + process.resourceUsage().maxRSS + ' KB\\n'));
`)}`;

const PEAK_LINE = /^peak (\d+) KB$/m;

/** Runs a command; returns its maximum memory in MB. */
async function measure(...args: string[]): Promise<number> {
  const { code, stderr } = await run(args, { env: { NODE_OPTIONS: `--import ${PEAK}` } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(PEAK_LINE) });
  return Number(PEAK_LINE.exec(stderr)![1]) / 1024;
}

/** The number of the first line in which two files differ; undefined if they are equal. */
async function firstDifference(one: string, other: string): Promise<number | undefined> {
  const [all, others] = await Promise.all([readFile(one), readFile(other)]);
  if (all.equals(others)) return undefined;
  const [left, right] = [one, other].map((path) => createInterface(createReadStream(path))[Symbol.asyncIterator]());
  for (let line = 1; ; line++) {
    const [a, b] = [await left!.next(), await right!.next()];
    if (a.done && b.done) return undefined;
    if (a.value !== b.value) return line;
  }
}

it(
  `${ACTIONS} actions are imported and exported unchanged on every storage, in ${MEMORY} MB`,
  { timeout: 600_000 },
  async () => {
    const folder = await makeFolder();
    const file = (name: string): string => join(folder, `${name}.ndjson`);
    const [made, alone, first] = [file('made'), file('alone'), file('first')];
    const database = await createTestDatabase();
    onTestFinished(() => database.destroy());
    await pipeline(writeBackup(createRecords()), createWriteStream(made));
    const json = ['--data', join(folder, 'json')];
    const others = {
      SQLite: ['--data', join(folder, 'sqlite'), '--storage', 'sqlite:podsync.db'],
      PostgreSQL: ['--data', join(folder, 'postgres'), '--storage', database.url],
    };
    const peaks: Record<string, number> = {
      'import into JSON': await measure('import', made, ...json),
      'export of the account': await measure('export', '--format', 'backup', '--user', 'alice', '-o', alone, ...json),
      'export of everything': await measure('export', '--format', 'backup', '-o', first, ...json),
      check: await measure('check', ...json),
    };
    for (const [name, place] of Object.entries(others)) {
      peaks[`import into ${name}`] = await measure('import', first, ...place);
      peaks[`export from ${name}`] = await measure('export', '--format', 'backup', '-o', file(name), ...place);
      expect(await firstDifference(file(name), first), name).toBeUndefined();
    }
    expect(await firstDifference(alone, made)).toBeUndefined();
    for (const [what, peak] of Object.entries(peaks)) expect(peak, what).toBeLessThan(MEMORY);
  },
);
