import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { PROGRAM } from './podsync.ts';

/** Runs a command on a new terminal, whose keyboard and screen are stdin and stdout. */
const ON_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

export interface Terminal {
  type(keys: string): void;
  /** Resolves when the screen shows this, also earlier. Rejects if the program ends without it. */
  shows(pattern: RegExp): Promise<void>;
  /** `screen` is everything that it has shown. */
  ended: Promise<{ code: number | null; screen: string }>;
}

/** Starts the program on a terminal. `output` is a file for stdout. */
export function startOnTerminal(args: readonly string[], { output = '/dev/tty' } = {}): Terminal {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const env = { PATH, HOME, TERM: 'xterm', ...(TMPDIR && { TMPDIR }) };
  const child = spawn(
    'python3',
    ['-c', ON_TERMINAL, 'sh', '-c', 'stty cols 120; exec "$@" > "$0"', output, process.execPath, PROGRAM, ...args],
    { env },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  const looks = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    for (const look of looks) look();
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, screen }));
  return {
    type: (keys) => void child.stdin.write(keys),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(screen)) resolve();
        };
        looks.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without ${pattern} in:\n${screen}`)));
      }),
    ended,
  };
}
