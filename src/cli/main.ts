import { CommanderError } from 'commander';
import { UsageError } from '../config.ts';
import { createProgram } from './program.ts';

/** Runs a command line and ends the process: 0 done, 1 failed, 2 wrong usage. Why it failed is one sentence on stderr. */
export async function main(argv: readonly string[]): Promise<void> {
  dropEmptyVariables(process.env);
  let lostOutput: Error | undefined;
  let complaint: Promise<void> | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lostOutput = error;
    process.exitCode = 1;
    // Whoever reads no further, as `head` does, has what they want.
    if (error.code === 'EPIPE') return;
    complaint ??= complain(`standard output cannot be written (${error.code}); choose another place for it`);
  });
  process.stderr.on('error', () => undefined); // there is nowhere left to say so, and a server goes on
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    if (!lostOutput || error !== lostOutput) process.exitCode = await tell(error);
  }
  await written(process.stdout);
  await complaint;
  await written(process.stderr);
  // Names that are being looked up, which nothing can end, would keep it for as long as nobody answers.
  process.exit();
}

/** Resolves when all of it is written, or lost and told of. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => setImmediate(resolve)));

/** What podsync's threads do in place of a command: load the modules with their work. */
export async function serveThreads(): Promise<void> {
  const { loadThreads } = await import('../podsync.ts');
  await loadThreads();
}

/** Says what went wrong and answers the exit code. */
async function tell(error: unknown): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Where a command was missing the help was printed.
    if (error.code !== 'commander.help') await complain(error.message.replace(/^error: /, ''));
    return 2;
  }
  await complain(error instanceof Error ? error.message : `it failed with what is no Error: ${String(error)}`);
  return error instanceof UsageError ? 2 : 1;
}

/** Loads the words only when something is wrong, so that `--version` is quick. */
async function complain(message: string): Promise<void> {
  const { words } = await import('./words.ts');
  words.error(message);
}

/** `PODSYNC_BASE_URL=` is how a compose file says that there is none. */
function dropEmptyVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('PODSYNC_') && value === '') delete env[name];
  }
}
