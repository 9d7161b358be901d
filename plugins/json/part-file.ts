import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { Low } from 'lowdb';
import { type Entry, type Key, Mutex, StorageError, type Value, type Version } from '../../src/plugin.ts';
import { replaceFile, toStorageError } from './file-operations.ts';
import { checksumText, encode, onOneLine } from './log-file.ts';

interface Content {
  /** In key order. */
  entries: readonly Entry[];
  /** Where the next file starts. */
  until: Key;
}

/** A parsed file. Keys are without the prefix; versions are in key order. */
interface ParsedFile {
  checksum?: string;
  prefix: string;
  until: Key;
  keys: Record<string, unknown>;
  versions: Version[];
}

/** Bytes. Only one longer file is parsed per turn of the event loop. */
const LONG = 64 * 1024;
const mutex = new Mutex();

/**
 * A JSON file with one key per line, readable for humans. Reading rejects with `corrupt` if the file is damaged or missing;
 * for writing see `replaceFile`. lowdb's own file adapter renames without a sync, and creates files that everyone can read.
 */
export const openPart = (
  path: string,
  prefix: string,
  content: Content = { entries: [], until: prefix },
): Low<Content> =>
  new Low<Content>(
    { read: () => read(path, prefix), write: async (written) => replaceFile(path, await encodePart(prefix, written)) },
    content,
  );

/** The start of a file, and its checksum, which covers everything after this start. */
const head = (checked: Uint8Array): string => `{\n"checksum": "${checksumText(crc32(checked))}",\n`;
const EMPTY_HEAD = head(new Uint8Array());
const HEAD_LENGTH = EMPTY_HEAD.length;
const beforeKeys = (prefix: string): string => `"prefix": ${JSON.stringify(prefix)},\n"keys": {\n`;

async function encodePart(prefix: string, { entries, until }: Content): Promise<Buffer> {
  const keys = entries.flatMap(({ key, value }, index) => [
    `${index === 0 ? '' : ',\n'}${quote(key.slice(prefix.length))}: `,
    onOneLine(value),
  ]);
  const versions = entries.map(({ version }) => version).join();
  const end = `\n},\n"until": ${JSON.stringify(until)},\n"versions": [${versions}]\n}\n`;
  const bytes = await encode([EMPTY_HEAD, beforeKeys(prefix), ...keys, end]);
  bytes.write(head(bytes.subarray(HEAD_LENGTH)));
  return bytes;
}

/** A key as JSON, without quotes inside. */
const quote = (key: string): string =>
  `"${key.replace(/["\\]/g, (char) => (char === '"' ? String.raw`\u0022` : String.raw`\u005c`))}"`;

async function read(path: string, prefix: string): Promise<Content> {
  const damaged = (what: string, cause?: unknown, hint = ''): StorageError =>
    new StorageError('corrupt', `${path} ${what}; restore the data folder from a backup${hint}`, { cause });
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? damaged('is missing', error) : toStorageError(error, path);
  });
  if (bytes.length > LONG) await mutex.run(setImmediate);
  const start = `${head(bytes.subarray(HEAD_LENGTH))}${beforeKeys(prefix)}`;
  if (bytes.toString('latin1', 0, start.length) === start) return readLines(bytes, start.length, prefix);
  let file: Partial<ParsedFile>;
  try {
    file = JSON.parse(bytes.toString()) ?? {};
  } catch (error) {
    throw damaged('is damaged', error);
  }
  if (file.checksum !== undefined) {
    const hint = ', or remove its line "checksum" to accept the change';
    throw damaged('was changed after podsync wrote it', undefined, hint);
  }
  // Edited by hand.
  const { keys = {}, versions = [], until } = file;
  const entries = Object.keys(keys)
    .toSorted()
    .map((key, index) => ({
      key: `${prefix}${key}`,
      value: JSON.stringify(keys[key]),
      version: versions[index]!,
    }));
  if (file.prefix !== prefix || until === undefined || entries.length !== versions.length) throw damaged('is damaged');
  return { entries, until };
}

const [NEWLINE, COMMA, BRACE, BACKSLASH] = [0x0a, 0x2c, 0x7d, 0x5c];

/** Reads values as text: parsing and serializing them would dominate the time of a start. `at`: the first key. */
function readLines(bytes: Buffer, at: number, prefix: string): Content {
  const found: { key: Key; value: Value }[] = [];
  while (bytes[at] !== BRACE) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline > at) {
      const keyEnd = bytes.indexOf('": ', at) + 1;
      const isEscaped = bytes.subarray(at, keyEnd).includes(BACKSLASH);
      const key = bytes.toString('latin1', at + 1, keyEnd - 1);
      const end = bytes[newline - 1] === COMMA ? newline - 1 : newline;
      found.push({
        key: `${prefix}${isEscaped ? JSON.parse(`"${key}"`) : key}`,
        value: bytes.toString('utf8', keyEnd + 2, end),
      });
    }
    at = newline + 1;
  }
  const { until, versions } = JSON.parse(`{${bytes.toString('utf8', at + 2)}`) as ParsedFile;
  return { entries: found.map(({ key, value }, index) => ({ key, value, version: versions[index]! })), until };
}
