import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { createClock, openClock } from '../src/clock.ts';
import { makeFolder } from './folder.ts';

/** Disk operations in order; the folder `unsyncable` cannot be synced. */
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
    writeFileSync: (path, data, options) => {
      fs.writeFileSync(path, data, options);
      if ((options as { flush?: boolean }).flush) disk.steps.push(`sync ${String(path)}`);
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
  folder = await makeFolder();
  path = join(folder, 'clock');
  warnings = [];
  Object.assign(disk, { steps: [], unsyncable: '' });
});

it('stands still while the wall clock is behind', () => {
  let wall = 5_000_900;
  const now = createClock({ wall: () => wall });
  expect(now()).toBe(5000);
  wall = 4_000_000;
  expect(now()).toBe(5000);
  wall = 5_001_000;
  expect(now()).toBe(5001);
});

it('never returns a time that it has not reserved', () => {
  let wall = 5_000_000;
  let reserved = 0;
  const now = createClock({ wall: () => wall, reserve: (until) => (reserved = until) });
  for (let step = 0; step < 100; step++) {
    expect(now()).toBeLessThanOrEqual(reserved);
    wall += 700;
  }
  // After a restart with the wall clock set back, no earlier time is returned.
  const before = now();
  const restarted = createClock({ wall: () => 1_000_000, floor: reserved });
  expect(restarted()).toBeGreaterThanOrEqual(before);
});

it('keeps its reservation in a file for its owner only, and works without a readable file', async () => {
  const first = openClock(path, warn)();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(openClock(path, warn)()).toBeGreaterThanOrEqual(first);
  await writeFile(path, String(first + 3000));
  expect(openClock(path, warn)()).toBe(first + 3000);
  for (const text of ['nonsense', '', '-1', '1e12', `${first}000`]) {
    await writeFile(path, text);
    const time = openClock(path, warn)();
    expect(time, text).toBeGreaterThanOrEqual(first);
    expect(time, text).toBeLessThan(first + 3000);
  }
  expect(warnings).toEqual([]);
  openClock(join(folder, 'missing', 'clock'), warn)();
  expect(warnings).toHaveLength(1);
});

it('leaves no temporary file if it cannot store its reservation', async () => {
  await mkdir(path);
  openClock(path, warn)();
  expect(warnings).toEqual([`${path} could not be written (EISDIR)`]);
  expect(await readdir(folder)).toEqual(['clock']);
});

it('syncs the reservation and its folder to disk before it returns a time', () => {
  openClock(path, warn)();
  expect(disk.steps).toEqual([`sync ${path}.${process.pid}.new`, `rename to ${path}`, `sync ${folder}`]);
});

it('works if the folder cannot be synced', () => {
  disk.unsyncable = folder;
  expect(openClock(path, warn, () => 5_000_000)()).toBe(5000);
  expect(openClock(path, warn, () => 4_000_000)()).toBe(5010);
  expect(warnings).toEqual([]);
});

it('warns if time stands still for more than an hour, and says what to do', () => {
  openClock(path, warn, () => 900_000_000)();
  openClock(path, warn, () => 900_000_000 - 3_589_000);
  expect(warnings).toEqual([]);
  const now = openClock(path, warn, () => 900_000_000 - 35_989_000);
  expect(warnings).toEqual([
    `the clock of this machine is 10 hours behind the latest time that podsync has used, so podsync's time stands still until the clock has caught up; if the clock was wrong before, stop podsync, delete ${path} and start podsync again`,
  ]);
  expect(now()).toBe(900_010);
});

it('warns once each time that the wall clock is set back by more than an hour while podsync runs', () => {
  const start = 900_000_000;
  const year = 31_536_000_000;
  let wall = start;
  const now = openClock(path, warn, () => wall);
  for (const at of [start, start + year, start, start + 1000, start + year, start + year - 3_600_000]) {
    wall = at;
    now();
  }
  expect(warnings).toEqual([expect.stringMatching(/ 8760 hours behind .* delete .* and start podsync again$/)]);
  wall = start;
  expect(now()).toBe((start + year) / 1000);
  expect(warnings).toHaveLength(2);
});
