import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** The program as one file; `test/docs` runs it as npm installs it. */
export const PROGRAM = join(import.meta.dirname, '../../dist/podsync.mjs');

/** Runs a command of the built program; `input` goes to its stdin. */
export async function runPodsync(args: readonly string[], input = ''): Promise<string> {
  const run = promisify(execFile)(process.execPath, [PROGRAM, ...args]);
  run.child.stdin!.end(input);
  return (await run).stdout;
}

export interface RunningServer {
  url: string;
  process: ChildProcess;
  /** Resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** `podsync serve` on a free port, once it listens. `wrapper` is a command that runs it. */
export async function serve(args: readonly string[], wrapper: readonly string[] = []): Promise<RunningServer> {
  const [command, ...rest] = [...wrapper, process.execPath, PROGRAM, 'serve', '--port', '0', '--no-fetch', ...args];
  const child = spawn(command!, rest, { stdio: ['ignore', 'inherit', 'pipe'] });
  const exited = once(child, 'exit');
  const words: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    words.push(line);
    // Other lines may contain other addresses, such as that of a proxy.
    const url = /(?:Listening on|Server address for [\w ]+:) (http:\/\/[\w.]+:\d+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stderr.resume();
    return {
      url,
      process: child,
      async kill(signal) {
        child.kill(signal);
        await exited;
      },
    };
  }
  throw new Error(`the server did not start:\n${words.join('\n')}`);
}

/** A client with Basic credentials. */
export const createClient =
  (server: () => RunningServer, auth: string) =>
  (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${server().url}${path}`, {
      method,
      headers: { authorization: `Basic ${btoa(auth)}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
