import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Seconds } from './domain/types.ts';

export type Clock = () => Seconds;

/** How far ahead time is reserved. After a restart the clock may stand still for this long. */
const RESERVED: Seconds = 10;

const HOUR: Seconds = 3600;

interface ClockOptions {
  /** Milliseconds since 1970. */
  wall?: () => number;
  /** The earliest time that the clock returns. */
  floor?: Seconds;
  /** Called with the end of the next reservation, before the clock returns a time beyond the last one. */
  reserve?: (until: Seconds) => void;
}

/**
 * The wall clock in whole seconds, but it never runs backwards: if the wall clock is set back, time stands still until
 * it has caught up. The marks of device updates, which are times, and the stamps of episodes depend on this.
 */
export function createClock({ wall = Date.now, floor = 0, reserve = () => undefined }: ClockOptions = {}): Clock {
  let latest = floor;
  let reserved = floor;
  return () => {
    latest = Math.max(latest, Math.floor(wall() / 1000));
    if (latest > reserved) {
      reserved = latest + RESERVED;
      reserve(reserved);
    }
    return latest;
  };
}

/**
 * A clock that does not run backwards across restarts either: a file holds the end of the current reservation. Warns
 * each time that it begins to stand still for more than an hour.
 */
export function openClock(path: string, warn: (message: string) => void, wall: () => number = Date.now): Clock {
  const reserve = (until: Seconds): void => {
    try {
      writeDurably(path, String(until));
    } catch (error) {
      // Keep serving: the file only matters if the wall clock is set back and the server restarts, too.
      warn(`${path} could not be written (${(error as NodeJS.ErrnoException).code})`);
    }
  };
  let isFarBehind = false;
  /** Returns the time of this clock, after a warning if the wall clock has fallen far behind it. */
  const check = (time: Seconds): Seconds => {
    const behind = time - wall() / 1000;
    if (behind > HOUR && !isFarBehind) {
      warn(
        `the clock of this machine is ${Math.ceil(behind / HOUR)} hours behind the latest time that podsync has used, so podsync's time stands still until the clock has caught up; if the clock was wrong before, stop podsync, delete ${path} and start podsync again`,
      );
    }
    isFarBehind = behind > HOUR;
    return time;
  };
  const clock = createClock({ wall, floor: check(readFloor(path)), reserve });
  return () => check(clock());
}

/** 0 if the file does not exist yet or cannot be read: then only the wall clock counts. */
function readFloor(path: string): Seconds {
  try {
    const text = readFileSync(path, 'utf8');
    return /^\d{1,10}$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}

function writeDurably(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`; // one for each process
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Without this, the previous file may reappear after a power failure. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Not every system can sync a folder.
  }
}
