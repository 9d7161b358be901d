import { CommanderError } from 'commander';
import manifest from 'podsync/package.json' with { type: 'json' };
import { UsageError } from '../config.ts';
import { createProgram } from './program.ts';

/** Runs a command line and ends the process: 0 done, 1 failed, 2 wrong usage. An error is one sentence on stderr. */
export async function main(argv: readonly string[]): Promise<void> {
  if (isNodeTooOld()) return;
  dropEmptyVariables(process.env);
  let lostOutput: Error | undefined;
  let reported: Promise<void> | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lostOutput = error;
    process.exitCode = 1;
    // A reader that closes the pipe, as `head` does, has what it needs.
    if (error.code === 'EPIPE') return;
    reported ??= printError(`standard output cannot be written (${error.code}); send it somewhere else`);
  });
  process.stderr.on('error', () => undefined); // it cannot be reported, and a server continues
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    if (!lostOutput || error !== lostOutput) process.exitCode = await reportError(error);
  }
  await written(process.stdout);
  await reported;
  await written(process.stderr);
  // Pending name look-ups cannot be cancelled, and would keep the process until they time out.
  process.exit();
}

/**
 * Refuses a Node that lacks functions which podsync uses; npm only warns of it: the manifest names the oldest minor version
 * of each supported major one. Loads no module, as it could not.
 */
function isNodeTooOld(): boolean {
  const { node } = process.versions;
  const oldest = manifest.engines.node.match(/[\d.]+/g)!.find((version) => parseInt(version) >= parseInt(node));
  if (!oldest || node.localeCompare(oldest, 'en', { numeric: true }) >= 0) return false;
  process.stderr.write(
    `podsync needs Node ${oldest} or newer, and this is Node ${node}; install a newer one: https://nodejs.org\n`,
  );
  process.exitCode = 1;
  return true;
}

/** Resolves when everything is written, or the failure is reported. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => setImmediate(resolve)));

/** In a worker thread, in place of a command: loads the modules that work in threads. */
export async function serveThreads(): Promise<void> {
  const { loadThreads } = await import('../podsync.ts');
  await loadThreads();
}

/** Prints the error and returns the exit code. */
async function reportError(error: unknown): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // If a command was missing, the help was printed.
    if (error.code !== 'commander.help') await printError(error.message.replace(/^error: /, ''));
    return 2;
  }
  await printError(error instanceof Error ? error.message : `unexpected failure: ${String(error)}`);
  return error instanceof UsageError ? 2 : 1;
}

/** Loads the output only for an error, so that `--version` is quick. */
async function printError(message: string): Promise<void> {
  const { messages } = await import('./output.ts');
  messages.error(message);
}

/** A compose file can only unset a variable as `PODSYNC_BASE_URL=`. */
function dropEmptyVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('PODSYNC_') && value === '') delete env[name];
  }
}
