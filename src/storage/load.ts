import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StoragePlugin } from './contract.ts';
import { parseStorageSpec, redactLocation } from './location.ts';

/** A plugin module that was found. */
interface PluginModule {
  /** Name for messages. */
  title: string;
  load(): Promise<{ default?: unknown }>;
}

const CONTRACT: StoragePlugin['contract'] = 1;

/** Built-in plugins. Only the one in use is loaded. */
const BUILT_IN: ReadonlyMap<string, PluginModule['load']> = new Map<string, PluginModule['load']>([
  ['json', () => import('../../plugins/json/index.ts')],
  ['sqlite', () => import('../../plugins/sqlite/index.ts')],
  ['postgres', () => import('../../plugins/postgres/index.ts')],
]);

/** Loads the modules that run in worker threads. */
export async function loadStorageThreads(): Promise<void> {
  await import('../../plugins/sqlite/thread.ts');
}

/**
 * Loads the plugin of `spec` (see `parseStorageSpec`) and parses its location.
 *
 * A relative path starts from `baseDir`. A package is resolved from podsync's own folder, like every import of Node: it
 * must be installed next to podsync, locally, globally, or with `npx -p podsync -p podsync-storage-x podsync`. Rejects
 * with an Error that names the plugin, its origin, and what to do. Messages never contain a password.
 */
export async function loadStorage(spec: string, baseDir: string): Promise<{ plugin: StoragePlugin; options: unknown }> {
  const { kind, plugin: specifier, location } = parseStorageSpec(spec);
  const { title, load } = kind === 'file' ? await findFile(specifier, baseDir) : findModule(specifier, kind);
  const module = await load().catch((error: unknown) => {
    throw pluginFailure(`${title} cannot be loaded: ${describeError(error)}`, error);
  });
  const plugin = checkPlugin(module, title);
  try {
    return { plugin, options: plugin.parse(location) };
  } catch (error) {
    // Without the cause, which may contain the location with its password.
    throw pluginFailure(`${title} cannot use its location: ${toMessage(error)}`);
  }
}

async function findFile(specifier: string, baseDir: string): Promise<PluginModule> {
  const path = pluginPath(specifier, baseDir);
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw pluginFailure(`${path} is not a file; a relative path starts from ${resolve(baseDir)}`);
  return { title: path, load: () => import(pathToFileURL(path).href) };
}

/** The path of a plugin that is a file. Throws for a URL that is not one of a file on this machine. */
export const pluginPath = (specifier: string, baseDir: string): string =>
  specifier.startsWith('file:') ? toPath(specifier, baseDir) : resolve(baseDir, specifier);

function toPath(url: string, baseDir: string): string {
  try {
    return fileURLToPath(new URL(url, pathToFileURL(`${resolve(baseDir)}/`)));
  } catch (error) {
    throw pluginFailure(`${url} is not a file URL on this machine (${toMessage(error)})`);
  }
}

function findModule(specifier: string, kind: 'package' | 'name'): PluginModule {
  const builtIn = kind === 'name' ? BUILT_IN.get(specifier) : undefined;
  if (builtIn) return { title: specifier, load: builtIn };
  const name = kind === 'name' ? `podsync-storage-${specifier}` : specifier;
  const url = resolvePackage(name);
  return { title: `${name} (${fileURLToPath(url)})`, load: () => import(url) };
}

function resolvePackage(name: string): string {
  try {
    return import.meta.resolve(name);
  } catch (error) {
    if (!isModuleNotFound(error)) throw pluginFailure(`${name} cannot be loaded: ${toMessage(error)}`, error);
    throw pluginFailure(
      `there is no package ${name} next to podsync; install it there (npm install ${name}), or use a built-in plugin ` +
        `(${[...BUILT_IN.keys()].join(', ')}), or a file: its path begins with ./ or /`,
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
    throw pluginFailure(`${title} implements contract ${number}, but this podsync needs ${CONTRACT}; update ${older}`);
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

function describeError(error: unknown): string {
  if (isModuleNotFound(error)) return `${toMessage(error)}; install its dependencies next to it`;
  if (codeOf(error) === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `${toMessage(error)}; compile it to JavaScript, or, if it is a .ts file, use Node 22.18 or newer`;
  }
  return `${withLocation(error)}; the fault is in the plugin`;
}

/** The message of an error, with file and line from its stack if there are any. */
export function withLocation(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frame = stack.split('\n').find((line) => line.startsWith('    at ')) ?? '';
  const [, location] = /(?:file:\/\/|[ (])(\/[^\s()]+:\d+)/.exec(frame) ?? [];
  return location === undefined ? toMessage(error) : `${toMessage(error)} (${location})`;
}

const isModuleNotFound = (error: unknown): boolean => codeOf(error) === 'ERR_MODULE_NOT_FOUND';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An Error about a plugin, with passwords redacted. */
export const pluginFailure = (message: string, cause?: unknown): Error =>
  new Error(redactLocation(`storage plugin: ${message}`), cause === undefined ? {} : { cause });
