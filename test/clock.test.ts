import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createClock, openClock } from '../src/clock.ts';

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
  const folder = await mkdtemp(join(tmpdir(), 'podsync-clock-'));
  const path = join(folder, 'clock');
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const told = openClock(path, warn)();
  expect(openClock(path, warn)()).toBeGreaterThanOrEqual(told);
  await writeFile(path, String(told + 5000));
  expect(openClock(path, warn)()).toBe(told + 5000);
  await writeFile(path, 'nonsense');
  expect(openClock(path, warn)()).toBeGreaterThanOrEqual(told);
  expect(warnings).toEqual([]);
  openClock(join(folder, 'missing', 'clock'), warn)();
  expect(warnings).toHaveLength(1);
  await rm(folder, { recursive: true });
});
