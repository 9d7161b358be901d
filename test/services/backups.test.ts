import { type FileHandle, mkdir, open as openFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createBackups } from '../../src/services/operations/backups.ts';
import { makeFolder } from '../folder.ts';
import { openTestServer } from '../server.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

const list = async (folder: string): Promise<string[]> => (await readdir(folder)).toSorted();

/** A server that writes a backup daily and keeps two, in a folder that does not exist yet. */
async function open(users: readonly string[] = ['bob'], every = DAY) {
  const parent = await makeFolder();
  const folder = join(parent, 'a', 'backups');
  const rules = { folder, every, keep: 2 };
  const server = await openTestServer({ users, backups: rules });
  server.clock.now = Date.parse('2026-11-25T20:15:30Z') / 1000;
  const { backups, transfer } = server.services;
  const health = async (): Promise<string> => (await server.request('GET', '/health')).text();
  /** As after a restart of the server. */
  const restart = () =>
    createBackups(transfer, { rules, now: () => server.clock.now, log: (_level, message) => logged.push(message) });
  const logged: string[] = [];
  return { ...server, parent, folder, backups: backups!, health, restart, logged };
}

it('writes a backup that can be imported, readable for its owner only', async () => {
  const { folder, backups, services } = await open();
  await backups.runIfDue();
  expect(await list(folder)).toEqual(['podsync-2026-11-25T20-15-30Z.ndjson.gz']);
  const path = join(folder, 'podsync-2026-11-25T20-15-30Z.ndjson.gz');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await services.administration.remove('bob');
  const bytes = await readFile(path);
  expect([...bytes.subarray(0, 2)], 'gzip').toEqual([0x1f, 0x8b]);
  const report = await services.transfer.import(
    (async function* () {
      yield bytes;
    })(),
    { dryRun: false },
  );
  expect(report.accounts).toMatchObject([{ name: 'bob', password: true }]);
});

it('its name is on the disk, too, before older backups may be removed', async () => {
  const { folder, backups } = await open();
  await mkdir(folder, { recursive: true });
  const handle = await openFile(folder);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { ino } = await stat(folder);
  const { sync } = prototype;
  const synced: string[][] = [];
  const watched = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    if ((await this.stat()).ino === ino) synced.push(await list(folder));
    await sync.call(this);
  });
  onTestFinished(() => watched.mockRestore());
  await backups.runIfDue();
  expect(synced).toEqual([['podsync-2026-11-25T20-15-30Z.ndjson.gz']]);
});

it('a restart neither skips nor repeats a backup', async () => {
  const { clock, folder, backups, restart } = await open();
  await backups.runIfDue();
  clock.now += DAY - 1;
  await backups.runIfDue();
  await restart().runIfDue();
  expect(await list(folder)).toHaveLength(1);
  clock.now += 1;
  await restart().runIfDue();
  await backups.runIfDue();
  expect(await list(folder)).toEqual([
    'podsync-2026-11-25T20-15-30Z.ndjson.gz',
    'podsync-2026-11-26T20-15-30Z.ndjson.gz',
  ]);
});

it('removes its oldest backups, and nothing else', async () => {
  const { clock, folder, backups } = await open();
  await mkdir(folder, { recursive: true });
  const others = [
    'podsync-2026-11-01T00-00-00Z.ndjson.gz.old',
    'podsync-monday.ndjson.gz',
    'podsync-monday.tmp',
    'my-copy.ndjson.gz',
  ];
  for (const name of others) await writeFile(join(folder, name), '');
  for (let day = 0; day < 4; day++) {
    await backups.runIfDue();
    clock.now += DAY;
  }
  expect((await list(folder)).filter((name) => !others.includes(name))).toEqual([
    'podsync-2026-11-27T20-15-30Z.ndjson.gz',
    'podsync-2026-11-28T20-15-30Z.ndjson.gz',
  ]);
  expect(await list(folder)).toEqual(expect.arrayContaining(others));
});

it('a backup from a wrong clock in the future neither delays the next one nor takes its place', async () => {
  const { folder, backups } = await open();
  await mkdir(folder, { recursive: true });
  for (const year of [2030, 2031]) await writeFile(join(folder, `podsync-${year}-01-01T00-00-00Z.ndjson.gz`), '');
  await backups.runIfDue();
  expect(await list(folder)).toContain('podsync-2026-11-25T20-15-30Z.ndjson.gz');
});

it('/health has the age of the newest backup, and no path', async () => {
  const { clock, backups, health, restart } = await open();
  expect(await health()).toMatch(/^ok\npodsync .*\nlast backup: none\n$/);
  await backups.runIfDue();
  clock.now += 2 * HOUR;
  expect(await health()).toMatch(/^ok\npodsync .*\nlast backup: 7200 seconds ago\n$/);
  const restarted = restart();
  await restarted.runIfDue();
  expect(restarted.age()).toBe(2 * HOUR);
});

it('without an account there is nothing to back up, and good backups are kept', async () => {
  const { clock, folder, backups, services } = await open();
  await backups.runIfDue();
  await services.administration.remove('bob');
  for (let day = 0; day < 3; day++) {
    clock.now += DAY;
    await backups.runIfDue();
  }
  expect(await list(folder)).toEqual(['podsync-2026-11-25T20-15-30Z.ndjson.gz']);
  expect(backups.status().failures).toBe(0);
});

it('a folder that cannot be used is logged with what to do, and the backup is tried again after an hour', async () => {
  const { clock, parent, folder, restart, logged } = await open();
  await writeFile(join(parent, 'a'), 'not a folder');
  const backups = restart();
  await backups.runIfDue();
  await backups.runIfDue();
  expect(logged).toEqual([
    `the scheduled backup failed and will be tried again: ${folder} cannot be used (ENOTDIR); free some space, check its permissions, or choose another folder with --backup-folder`,
  ]);
  expect(backups.status().failures).toBe(1);
  await rm(join(parent, 'a'));
  clock.now += HOUR - 1;
  await backups.runIfDue();
  expect(backups.age()).toBeUndefined();
  clock.now += 1;
  await backups.runIfDue();
  expect(backups.age()).toBe(0);
});

it('a backup that is due every ten minutes is tried again after ten', async () => {
  const { clock, parent, restart } = await open(['bob'], 600);
  await writeFile(join(parent, 'a'), 'not a folder');
  const backups = restart();
  await backups.runIfDue();
  await rm(join(parent, 'a'));
  clock.now += 600;
  await backups.runIfDue();
  expect(backups.age()).toBe(0);
});

it('a backup that somebody deleted is written again', async () => {
  const { clock, folder, backups } = await open();
  await backups.runIfDue();
  await rm(folder, { recursive: true });
  clock.now += HOUR;
  await backups.runIfDue();
  expect(await list(folder)).toEqual(['podsync-2026-11-25T21-15-30Z.ndjson.gz']);
});

it.runIf(process.platform === 'linux')('a folder that cannot be created is logged, and nothing hangs', async () => {
  const { services, clock } = await open();
  const logged: string[] = [];
  const backups = createBackups(services.transfer, {
    rules: { folder: '/proc/podsync/backups', every: DAY, keep: 1 },
    now: () => clock.now,
    log: (_level, message) => logged.push(message),
  });
  await backups.runIfDue();
  expect(logged).toEqual([expect.stringContaining('/proc/podsync/backups cannot be used (ENOENT); ')]);
});

it.each([
  ['is cut off', ['{"kind":"podsync-backup","format":1}\n']],
  ['is no backup', ['hello\n']],
])('a file that %s when it is read back is a failure, and takes no place', async (_what, text) => {
  const { folder, clock } = await open();
  const logged: string[] = [];
  const backups = createBackups(
    { export: async () => ({ accounts: 1, text: (async function* () { yield* text; })() }) }, // prettier-ignore
    { rules: { folder, every: DAY, keep: 1 }, now: () => clock.now, log: (_level, message) => logged.push(message) },
  );
  await backups.runIfDue();
  expect(logged).toEqual([expect.stringMatching(/cannot be read back \(.+\); check the disk/)]);
  expect(await list(folder)).toEqual([]);
});

it('a storage that fails on the way is a failure with its reason, and leaves no file', async () => {
  const { folder, clock } = await open();
  const logged: string[] = [];
  const text = async function* () {
    yield '{"kind":"podsync-backup"';
    throw new Error('users/1 is damaged; restore it');
  };
  const backups = createBackups(
    { export: async () => ({ accounts: 1, text: text() }) },
    { rules: { folder, every: DAY, keep: 1 }, now: () => clock.now, log: (_level, message) => logged.push(message) },
  );
  await backups.runIfDue();
  expect(logged).toEqual([expect.stringContaining('users/1 is damaged; restore it')]);
  expect(await list(folder)).toEqual([]);
});

it('stops in the middle of a backup without a failure, and the next run removes what a crash left', async () => {
  const { folder, clock, restart } = await open();
  const logged: string[] = [];
  let isRead!: () => void;
  const reading = new Promise<void>((resolve) => (isRead = resolve));
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const text = async function* () {
    yield '{}\n';
    isRead();
    await released;
    yield '{}\n';
  };
  const backups = createBackups(
    { export: async () => ({ accounts: 1, text: text() }) },
    { rules: { folder, every: DAY, keep: 1 }, now: () => clock.now, log: (_level, message) => logged.push(message) },
  );
  backups.start();
  await reading;
  const stopped = backups.stop();
  release();
  await stopped;
  expect([logged, backups.status().failures]).toEqual([[], 0]);
  expect(await list(folder)).toEqual([]);

  const left = 'podsync-2026-11-24T20-15-30Z.ndjson.gz.4c8a2c50-1d2f-4e0f-9d38-3b1f0c9a7e11.tmp';
  await writeFile(join(folder, left), '');
  await restart().runIfDue();
  expect(await list(folder)).toEqual(['podsync-2026-11-25T20-15-30Z.ndjson.gz']);
});
