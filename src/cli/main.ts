import { CommanderError } from 'commander';
import { UsageError } from '../config.ts';
import { createProgram } from './program.ts';
import { words } from './words.ts';

/** Runs a command line and sets the exit code: 0 done, 1 failed, 2 wrong usage. Why it failed is one sentence on stderr. */
export async function main(argv: readonly string[]): Promise<void> {
  dropEmptyVariables(process.env);
  let lostOutput: unknown;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lostOutput = error;
    process.exitCode = tellLostOutput(error);
  });
  process.stderr.on('error', () => undefined); // there is nowhere left to say so, and a server goes on
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    process.exitCode = error === lostOutput ? 1 : tell(error);
  }
}

/** Loads the modules that do the work of threads; which of them does it, the thread knows. */
export async function loadThreads(): Promise<void> {
  const [{ loadStorageThreads }] = await Promise.all([import('../storage/load.ts'), import('../podsync.ts')]);
  await loadStorageThreads();
}

/** Says what went wrong and answers the exit code. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // it has said so already
  words.error(error instanceof Error ? error.message : String(error));
  return error instanceof UsageError ? 2 : 1;
}

/** Whoever reads no further, as `head` does, has what they want. */
function tellLostOutput({ code }: NodeJS.ErrnoException): number {
  if (code !== 'EPIPE') words.error(`standard output cannot be written (${code}); choose another place for it`);
  return 1;
}

/** `PODSYNC_BASE_URL=` is how a compose file says that there is none. */
function dropEmptyVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('PODSYNC_') && value === '') delete env[name];
  }
}
