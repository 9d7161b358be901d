import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StoragePlugin } from './contract.ts';
import { parseStorageSpec, redactLocation } from './location.ts';

/** Where a plugin was found. */
interface Found {
  /** For messages. */
  title: string;
  load(): Promise<{ default?: unknown }>;
}

const CONTRACT: StoragePlugin['contract'] = 1;

/** The plugins that come with podsync. Only the one that is used is loaded. */
const BUILT_IN: ReadonlyMap<string, Found['load']> = new Map<string, Found['load']>([
  ['json', () => import('../../plugins/json/index.ts')],
  ['sqlite', () => import('../../plugins/sqlite/index.ts')],
  ['postgres', () => import('../../plugins/postgres/index.ts')],
]);

/** Loads the modules whose work is done in threads. */
export async function loadStorageThreads(): Promise<void> {
  await import('../../plugins/sqlite/thread.ts');
}

/**
 * Loads the plugin that `spec` names (see `parseStorageSpec`), and has it parse its location.
 *
 * A relative path starts from `baseDir`. A package is looked for from podsync's own place, as Node does for every
 * import, and nowhere else: beside a local podsync, beside a global one, or beside both in
 * `npx -p podsync -p podsync-storage-x podsync`. Rejects with an Error that says which plugin, from where, and what to
 * do. No message holds a password.
 */
export async function loadStorage(spec: string, baseDir: string): Promise<{ plugin: StoragePlugin; options: unknown }> {
  const { kind, plugin: word, location } = parseStorageSpec(spec);
  const { title, load } = kind === 'file' ? await findFile(word, baseDir) : findModule(word, kind);
  const module = await load().catch((error: unknown) => {
    throw pluginFailure(`${title} cannot be loaded: ${explain(error)}`, error);
  });
  const plugin = checkPlugin(module, title);
  try {
    return { plugin, options: plugin.parse(location) };
  } catch (error) {
    // Without the cause, which may hold the location as it is.
    throw pluginFailure(`${title} cannot use the location that it was given: ${toMessage(error)}`);
  }
}

async function findFile(word: string, baseDir: string): Promise<Found> {
  const path = word.startsWith('file:') ? toPath(word, baseDir) : resolve(baseDir, word);
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw pluginFailure(`${path} is not a file; a relative path starts from ${resolve(baseDir)}`);
  return { title: path, load: () => import(pathToFileURL(path).href) };
}

function toPath(url: string, baseDir: string): string {
  try {
    return fileURLToPath(new URL(url, pathToFileURL(`${resolve(baseDir)}/`)));
  } catch (error) {
    throw pluginFailure(`${url} is not the URL of a file on this machine (${toMessage(error)})`);
  }
}

function findModule(word: string, kind: 'package' | 'name'): Found {
  const builtIn = kind === 'name' ? BUILT_IN.get(word) : undefined;
  if (builtIn) return { title: word, load: builtIn };
  const name = kind === 'name' ? `podsync-storage-${word}` : word;
  const url = resolvePackage(name);
  return { title: `${name} (${fileURLToPath(url)})`, load: () => import(url) };
}

function resolvePackage(name: string): string {
  try {
    return import.meta.resolve(name);
  } catch (error) {
    if (!isModuleNotFound(error)) throw pluginFailure(`${name} cannot be loaded: ${toMessage(error)}`, error);
    throw pluginFailure(
      `there is no package ${name} beside podsync; install it there (npm install ${name}), or use a plugin that comes ` +
        `with podsync (${[...BUILT_IN.keys()].join(', ')}), or a file: its path begins with ./ or /`,
    );
  }
}

function checkPlugin(module: { default?: unknown }, title: string): StoragePlugin {
  const plugin = module.default as Partial<Record<keyof StoragePlugin, unknown>> | null | undefined;
  if (plugin === undefined) {
    throw pluginFailure(`${title} has no default export; a plugin ends with: export default definePlugin({ ... })`);
  }
  const number = plugin?.contract;
  if (typeof number === 'number' && number !== CONTRACT) {
    const older = number < CONTRACT ? title : 'podsync';
    throw pluginFailure(`${title} is made for contract ${number}, and this podsync for ${CONTRACT}; update ${older}`);
  }
  const wrong = Object.entries(SHAPE).flatMap(([key, type]) =>
    typeof plugin?.[key as keyof StoragePlugin] === type ? [] : `"${key}" must be a ${type}`,
  );
  if (wrong.length > 0) {
    throw pluginFailure(`the default export of ${title} is not a storage plugin: ${wrong.join(', ')}`);
  }
  return plugin as StoragePlugin;
}

const SHAPE: Record<keyof StoragePlugin, string> = {
  name: 'string',
  contract: 'number',
  parse: 'function',
  open: 'function',
};

const explain = (error: unknown): string =>
  isModuleNotFound(error)
    ? `${toMessage(error)}; install what it needs beside it`
    : `${withPlace(error)}; the fault is in the plugin`;

/** What was thrown, with file and line, where the top of the stack has them. */
export function withPlace(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frame = stack.split('\n').find((line) => line.startsWith('    at ')) ?? '';
  const [, place] = /(?:file:\/\/|[ (])(\/[^\s()]+:\d+)/.exec(frame) ?? [];
  return place === undefined ? toMessage(error) : `${toMessage(error)} (${place})`;
}

const isModuleNotFound = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND';

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An Error about a plugin. No password stays in it. */
export const pluginFailure = (message: string, cause?: unknown): Error =>
  new Error(redactLocation(`storage plugin: ${message}`), cause === undefined ? {} : { cause });
