import { createConsola } from 'consola';
import type { Log } from '../storage/contract.ts';

/** What podsync says to people. All of it goes to stderr: stdout is for data. */
export const words = createConsola({
  level: 3,
  fancy: Boolean(process.stderr.isTTY),
  stdout: process.stderr,
  stderr: process.stderr,
});

/** The log of a server. */
export const log: Log = (level, message) => words[level](message);

/** The log of a short command, which tells of trouble alone. */
export const troubleLog: Log = (level, message) => {
  if (level === 'warn' || level === 'error') words[level](message);
};
