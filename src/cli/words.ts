import { createConsola } from 'consola';
import type { Log } from '../storage/stores.ts';

/** What podsync says to people. All of it goes to stderr: stdout is for data. */
export const words = createConsola({
  level: 3,
  fancy: Boolean(process.stderr.isTTY),
  stdout: process.stderr,
  stderr: process.stderr,
});

/** The log of a podsync, in a server or in a short command. */
export const log: Log = (level, message) => words[level](message);
