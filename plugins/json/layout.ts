import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Key } from '../../src/plugin.ts';
import { removeFile, toStorageError } from './file-operations.ts';

/*
 * Keys with the same prefix are in the same file. A prefix is a key up to its first slash, or up to its second one if
 * the segment between them is an account or a podcast. A long file is split: the names of the further files end with
 * their first key, as in `users/4f2a/actions.01700000000.json`.
 */

/** File of each prefix; `*` is the second segment of the key. */
const FILES: Readonly<Record<string, string>> = {
  '': 'other',
  'u/': 'users/*/account',
  'l/': 'users/*/actions',
  'n/': 'logins',
  's/': 'sessions',
  'p/': 'podcasts',
  'e/': 'episodes/*',
  'f/': 'subscribers',
  'a/': 'listeners',
  'k/': 'directory',
};
/** All other prefixes. */
const OTHER = 'other/*';
/** All files in these folders belong to the storage. */
export const FOLDERS = ['users', 'episodes', 'other'];

const PREFIXES = new Map([...Object.entries(FILES).map(([prefix, file]) => [file, prefix] as const), [OTHER, '']]);
const hasOwner = (family: string): boolean => FILES[family]?.includes('*') ?? false;

/** A longer segment gets no file of its own: encoded, it might exceed the limit of file names. */
const MAX_SEGMENT = 60;
export const fitsFileName = (text: string): boolean => text.length <= MAX_SEGMENT;

/** The common prefix of all keys in the file of this key. */
export function prefixOf(key: Key): string {
  const first = key.indexOf('/') + 1;
  if (first === 0 || first > MAX_SEGMENT) return '';
  const family = key.slice(0, first);
  if (!hasOwner(family)) return family;
  const second = key.indexOf('/', first) + 1;
  return second === 0 || second - first > MAX_SEGMENT ? family : key.slice(0, second);
}

/** The first text after all keys with this prefix. */
export const endOf = (prefix: string): string => (prefix === '' ? '\x7f' : `${prefix.slice(0, -1)}0`);

/** Lower case only, as some file systems ignore case. */
const encode = (text: string): string =>
  text.replace(/[^a-z0-9-]/g, (char) =>
    /[A-Z]/.test(char) ? `_${char.toLowerCase()}` : `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  ) || '%';

const decode = (name: string): string =>
  name
    .replace(/^%$/, '')
    .replace(/_([a-z])|%([0-9a-f]{2})/g, (_, upper: string | undefined, code: string) =>
      upper === undefined ? String.fromCharCode(parseInt(code, 16)) : upper.toUpperCase(),
    );

/** The path, relative to the data folder, of the file with the keys of a prefix from `start` on. */
export function fileName(prefix: string, start: Key): string {
  const family = prefix.slice(0, prefix.indexOf('/') + 1);
  const isOwned = prefix !== family;
  const file = isOwned || !hasOwner(family) ? (FILES[family] ?? OTHER) : OTHER;
  const segment = encode(prefix.slice(isOwned ? family.length : 0, -1));
  const rest = start === prefix ? '' : `.${encode(start.slice(prefix.length))}`;
  return `${file.replace('*', () => segment)}${rest}.json`;
}

/** A data file: it begins with the first key from `start` on that has the prefix. */
export interface FileStart {
  prefix: string;
  start: Key;
}

/** The inverse of `fileName`; undefined for any other path. */
function parseFileName(path: string): FileStart | undefined {
  const [, base = '', rest = '%'] = /^([^.]+)(?:\.([^.]+))?\.json$/.exec(path) ?? [];
  const [folder, segment = '', ...others] = base.split('/');
  const family = PREFIXES.get(base) ?? PREFIXES.get([folder, '*', ...others].join('/')) ?? '';
  const prefix = segment === '' ? family : `${family}${decode(segment)}/`;
  const start = rest === '%' ? prefix : `${prefix}${decode(rest)}`;
  return fileName(prefix, start) === path ? { prefix, start } : undefined;
}

/** Lists all data files. Removes incomplete files of a killed process. */
export async function listFiles(folder: string): Promise<FileStart[]> {
  const list = (top: string): Promise<Dirent[]> =>
    readdir(join(folder, top), { recursive: top !== '', withFileTypes: true }).catch((error) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw toStorageError(error, join(folder, top));
    });
  const found: FileStart[] = [];
  for (const { parentPath, name } of (await Promise.all(['', ...FOLDERS].map(list))).flat()) {
    const path = join(parentPath, name);
    const file = parseFileName(relative(folder, path));
    if (file) found.push(file);
    else if (name.endsWith('.json.new')) await removeFile(path);
  }
  return found;
}
