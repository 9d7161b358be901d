import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ACCOUNT_OPTIONS, type ConfigOption, SERVE_OPTIONS, UsageError } from '../../config.ts';
import { isJsonObject } from '../../domain/json.ts';
import { cannotRead } from '../files.ts';
import { readOptional } from './data-folder.ts';
import { toAbsolutePlugin } from './storage-record.ts';

/** What a config file may contain, by name. */
const OPTIONS: ReadonlyMap<string, ConfigOption> = new Map(
  [...SERVE_OPTIONS, ...ACCOUNT_OPTIONS]
    .filter((option) => option.name() !== 'config')
    .map((option) => [option.name(), option]),
);

/** The config file that is read unless `--config` names another one. */
export const configFileIn = (data: string): string => join(data, 'podsync.config.json');

/**
 * The values in a config file, by the attribute names of commander. In the file, the names are those of the long options,
 * and the values are JSON or the text that a flag takes; relative paths start from the folder of the file. Undefined if the
 * file does not exist and `mayBeMissing`. Rejects if it cannot be read, and with a UsageError for a wrong name or value.
 */
export async function readConfigFile(
  path: string,
  { mayBeMissing }: { mayBeMissing: boolean },
): Promise<ReadonlyMap<string, unknown> | undefined> {
  const title = `the config file ${path}`;
  const text = mayBeMissing ? await readOptional(path, title) : await readNamed(path, title);
  if (text === undefined) return undefined;
  const folder = dirname(path);
  return new Map(Object.entries(parse(text, path)).map(([name, given]) => readEntry(name, given, { path, folder })));
}

const readNamed = (path: string, title: string): Promise<string> =>
  readFile(path, 'utf8').catch((error) => {
    throw cannotRead(title, error);
  });

/** Never quotes the file, as `JSON.parse` does: it may contain a password. */
function parse(text: string, path: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, '')); // editors on Windows may write a byte order mark
  } catch (error) {
    const [, position] = /at position (\d+)/.exec((error as Error).message) ?? [];
    const line = text.slice(0, position === undefined ? undefined : Number(position)).split('\n').length;
    throw new UsageError(`${path} is not JSON: the error is in line ${line} or before`, { cause: error });
  }
  if (isJsonObject(parsed)) return parsed;
  throw new UsageError(`${path} must contain an object with options, such as {"port": 8080}`);
}

function readEntry(name: string, given: unknown, file: { path: string; folder: string }): [string, unknown] {
  const option = OPTIONS.get(name);
  if (!option) {
    throw new UsageError(`${file.path}: unknown option "${name}"; the options are ${[...OPTIONS.keys()].join(', ')}`);
  }
  const { type } = option;
  const text = typeof given === type.json ? String(given) : given;
  const value = typeof text === 'string' ? type.read(text) : undefined;
  if (value === undefined) throw new UsageError(`${file.path}: "${name}" must be ${type.description}`);
  return [option.attributeName(), toAbsolute(option, value, file.folder)];
}

function toAbsolute(option: ConfigOption, value: unknown, folder: string): unknown {
  if (option.type.isPath) return resolve(folder, value as string);
  return option.name() === 'storage' ? toAbsolutePlugin(value as string, folder) : value;
}
