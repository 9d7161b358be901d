import { basename } from 'node:path';

/** How podsync was started, for commands that people copy: `podsync`, `npx podsync` or `node FILE`. */
export function programName(script = process.argv[1] ?? 'podsync', env = process.env): string {
  if (env.npm_lifecycle_event === 'npx') return 'npx podsync';
  return /\.m?js$/.test(script) ? `node ${quote(script)}` : basename(script);
}

/** An argument as a POSIX shell reads it. */
export const quote = (argument: string): string =>
  /^[\w./:@%+=,-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
