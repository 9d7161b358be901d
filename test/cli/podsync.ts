import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, vi } from 'vitest';
import { makeFolder } from '../folder.ts';
import { PROGRAM } from '../process/program.ts';

export { PROGRAM };

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface SpawnOptions {
  /** Complete standard input. */
  input?: string | Uint8Array;
  /** The environment, besides PATH and TMPDIR. */
  env?: Record<string, string>;
  cwd?: string;
  /** A copy of the program. */
  program?: string;
}

/** A running program. */
export interface Program {
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the first match in any line on stderr, also an earlier one. Rejects if the program ends without one. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Result>;
}

// Each test starts several processes, and the machine may be busy.
vi.setConfig({ testTimeout: 300_000 });

const running = new Set<ChildProcessWithoutNullStreams>();
/** Of `makeCopy`. */
const originals = new Map<string, Promise<string>>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

afterAll(async () => {
  for (const folder of originals.values()) await rm(await folder, { recursive: true, force: true });
});

/**
 * A folder as `fill` leaves it, which is deleted after the test. In a file of tests, `fill` runs once for each name, as
 * commands take longer than copying what they stored.
 */
export async function makeCopy(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = await makeFolder();
  if (!originals.has(name)) originals.set(name, makeOriginal(fill));
  await cp(await originals.get(name)!, folder, { recursive: true });
  return folder;
}

async function makeOriginal(fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'podsync-original-'));
  await fill(folder);
  return folder;
}

export function start(args: readonly string[], { input, env, cwd, program = PROGRAM }: SpawnOptions = {}): Program {
  const { PATH = '', TMPDIR } = process.env;
  const child = spawn(process.execPath, [program, ...args], { env: { PATH, ...(TMPDIR && { TMPDIR }), ...env }, cwd });
  running.add(child);
  child.stdin.on('error', () => undefined); // the program may not read its input
  child.stdin.end(input);

  let stdout = '';
  const printed: string[] = [];
  const lines = createInterface({ input: child.stderr });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  lines.on('line', (line) => printed.push(line));

  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(([[code]]): Result => {
    running.delete(child);
    return { code, stdout, stderr: printed.map((line) => `${line}\n`).join('') };
  });
  return {
    kill: (signal) => void child.kill(signal),
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          for (const line of printed) {
            const match = pattern.exec(line);
            if (match) resolve(match);
          }
        };
        look();
        lines.on('line', look);
        void ended.then(({ stderr }) => reject(new Error(`it ended without ${pattern} in:\n${stderr}`)));
      }),
    ended,
  };
}

export const run = (args: readonly string[], options?: SpawnOptions): Promise<Result> => start(args, options).ended;

export interface Server extends Program {
  data: string;
  url: string;
  port: number;
}

/** Starts `serve` on a free port, and waits until it is ready. */
export async function startServer(args: readonly string[] = [], options?: SpawnOptions): Promise<Server> {
  const data = args.includes('--data') ? args[args.indexOf('--data') + 1]! : await makeFolder();
  const program = start(['serve', '--port', '0', '--no-fetch', '--data', data, ...args], options);
  const [, url = ''] = await program.prints(/Ready\. .*?(https?:[^\s"]+)(?:$|")/);
  return { ...program, data, url, port: Number(new URL(url).port) };
}
