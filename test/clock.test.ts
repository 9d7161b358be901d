import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClock, openClock } from '../src/clock.ts';

/** What was done to the disk, in order; a folder in `unsyncable` cannot be synced. */
const disk = vi.hoisted(() => ({ steps: [] as string[], paths: new Map<number, string>(), unsyncable: '' }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  return {
    ...fs,
    openSync: (path, ...rest) => {
      const file = fs.openSync(path, ...rest);
      disk.paths.set(file, String(path));
      return file;
    },
    fsyncSync: (file) => {
      const path = disk.paths.get(file)!;
      if (path === disk.unsyncable) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      fs.fsyncSync(file);
      disk.steps.push(`sync ${path}`);
    },
    renameSync: (from, to) => {
      fs.renameSync(from, to);
      disk.steps.push(`rename to ${String(to)}`);
    },
  };
});

let folder: string;
let path: string;
let warnings: string[];
const warn = (message: string): void => void warnings.push(message);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podsync-clock-'));
  path = join(folder, 'clock');
  warnings = [];
  Object.assign(disk, { steps: [], unsyncable: '' });
});
afterEach(() => rm(folder, { recursive: true }));

it('stands still while the wall clock is behind', () => {
  let wall = 5_000_900;
  const now = createClock({ wall: () => wall });
  expect(now()).toBe(5000);
  wall = 4_000_000;
  expect(now()).toBe(5000);
  wall = 5_001_000;
  expect(now()).toBe(5001);
});

it('never tells a time that was not reserved before', () => {
  let wall = 5_000_000;
  let reserved = 0;
  const now = createClock({ wall: () => wall, reserve: (until) => (reserved = until) });
  for (let step = 0; step < 100; step++) {
    expect(now()).toBeLessThanOrEqual(reserved);
    wall += 700;
  }
  // After a restart with the wall clock set back, nothing that was told comes again.
  const told = now();
  const again = createClock({ wall: () => 1_000_000, floor: reserved });
  expect(again()).toBeGreaterThanOrEqual(told);
});

it('keeps what it may have told in a file, and does without a readable one', async () => {
  const told = openClock(path, warn)();
  expect(openClock(path, warn)()).toBeGreaterThanOrEqual(told);
  await writeFile(path, String(told + 3000));
  expect(openClock(path, warn)()).toBe(told + 3000);
  await writeFile(path, 'nonsense');
  expect(openClock(path, warn)()).toBeGreaterThanOrEqual(told);
  expect(warnings).toEqual([]);
  openClock(join(folder, 'missing', 'clock'), warn)();
  expect(warnings).toHaveLength(1);
});

it('has what it may have told on disk before it tells it, and its name, too', () => {
  openClock(path, warn)();
  expect(disk.steps).toEqual([`sync ${path}.${process.pid}.new`, `rename to ${path}`, `sync ${folder}`]);
});

it('goes on where a folder cannot be synced', () => {
  disk.unsyncable = folder;
  expect(openClock(path, warn, () => 5_000_000)()).toBe(5000);
  expect(openClock(path, warn, () => 4_000_000)()).toBe(5010);
  expect(warnings).toEqual([]);
});

it('says so where it is to stand still for more than an hour, and what to do', () => {
  openClock(path, warn, () => 900_000_000)();
  openClock(path, warn, () => 900_000_000 - 3_589_000);
  expect(warnings).toEqual([]);
  const now = openClock(path, warn, () => 900_000_000 - 35_989_000);
  expect(warnings).toEqual([
    `the clock of this machine is 10 hours behind what it told before, and time stands still here until it has caught up; if it was wrong then, stop podsync, remove ${path} and start it again`,
  ]);
  expect(now()).toBe(900_010);
});
