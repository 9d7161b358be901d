import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Seconds } from './domain/types.ts';

export type Clock = () => Seconds;

/** How far ahead the time is reserved. After a restart the clock may stand still for as long. */
const RESERVED: Seconds = 10;

const HOUR: Seconds = 3600;

interface ClockOptions {
  /** Milliseconds since 1970. */
  wall?: () => number;
  /** The time is never before this. */
  floor?: Seconds;
  /** Called before a time beyond the last reservation is told, with the end of the next one. */
  reserve?: (until: Seconds) => void;
}

/**
 * Whole seconds of the wall clock, which never run backwards: where that steps back, time stands still until it has
 * caught up. Marks depend on it.
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
 * A clock that does not run backwards over restarts either: the end of what it has reserved is kept in a file. Warns
 * where time is about to stand still for long.
 */
export function openClock(path: string, warn: (message: string) => void, wall: () => number = Date.now): Clock {
  const reserve = (until: Seconds): void => {
    try {
      writeDurably(path, String(until));
    } catch (error) {
      // Better to serve on: it only matters if the wall clock steps back and the server restarts, both.
      warn(`${path} could not be written (${(error as NodeJS.ErrnoException).code})`);
    }
  };
  const floor = readFloor(path);
  const behind = floor - wall() / 1000;
  if (behind > HOUR) {
    warn(
      `the clock of this machine is ${Math.ceil(behind / HOUR)} hours behind what it told before, and time stands still here until it has caught up; if it was wrong then, stop podsync, remove ${path} and start it again`,
    );
  }
  return createClock({ wall, floor, reserve });
}

/** 0 where there is no file yet, or none that can be read: then the wall clock alone counts. */
function readFloor(path: string): Seconds {
  try {
    const text = readFileSync(path, 'utf8');
    return /^\d{1,10}$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}

function writeDurably(path: string, text: string): void {
  const beside = `${path}.${process.pid}.new`; // of several processes at once each has its own
  try {
    const file = openSync(beside, 'w', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Without this a power cut may bring the file back that was there before. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Not every system can sync a folder. There it has to do without.
  }
}
