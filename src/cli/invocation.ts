import { basename } from 'node:path';
import type { Config } from '../config.ts';
import { redactLocation } from '../storage/location.ts';

/** How podsync was started, for commands to copy: `podsync`, `npx podsync` or `node FILE`. */
export function programName(script = process.argv[1] ?? 'podsync', env = process.env): string {
  if (env.npm_lifecycle_event === 'npx') return 'npx podsync';
  return /\.m?js$/.test(script) ? `node ${quote(script)}` : basename(script);
}

/** A text in quotes, for any shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** An argument as a POSIX shell reads it. */
export const quote = (argument: string): string => (/^[\w./:@%+=,-]+$/.test(argument) ? argument : quoted(argument));

/** A command on the same data, to copy. A password of the storage is left out and must be filled in. */
export function commandLine(command: string, { data, storage }: Pick<Config, 'data' | 'storage'>): string {
  const storageOption = storage === 'json' ? '' : ` --storage ${quote(redactLocation(storage))}`;
  return `${programName()} ${command} --data ${quote(data)}${storageOption}`;
}
