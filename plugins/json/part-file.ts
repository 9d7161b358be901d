import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type Adapter, Low } from 'lowdb';
import { type Entry, type Key, StorageError, KeyedMutex, type Version } from '../../src/plugin.ts';
import { replaceFile, toStorageError } from './durable-files.ts';
import { totalSize } from './group.ts';
import { checksum, LINE_END, onOneLine } from './log-file.ts';
import { TextBuffer } from './text-buffer.ts';

/** Content of a file: the entries, in key order, and the key at which the next file starts. */
export interface Content {
  entries: readonly Entry[];
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

const HEAD = '{\n"checksum": "';
const AFTER_CHECKSUM = '",\n';
/** Offset of the bytes covered by the checksum. */
const CHECKED = HEAD.length + 8 + AFTER_CHECKSUM.length;

/** Bytes. Only one longer file is parsed per turn of the event loop. */
const LONG = 64 * 1024;
const mutex = new KeyedMutex<'parsing'>();

/**
 * A JSON file with one key per line, readable for humans. lowdb's own file adapter renames without a sync, and creates
 * files that everyone can read.
 */
class PartFile implements Adapter<Content> {
  readonly #path: string;
  readonly #prefix: string;

  constructor(path: string, prefix: string) {
    this.#path = path;
    this.#prefix = prefix;
  }

  async read(): Promise<Content> {
    const bytes = await readFile(this.#path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? this.#damaged('is missing', error) : toStorageError(error, this.#path);
    });
    if (bytes.length > LONG) await mutex.run('parsing', setImmediate);
    if (isAsWritten(bytes, this.#prefix)) return readLines(bytes, this.#prefix);
    try {
      return this.#decode(bytes, (JSON.parse(bytes.toString()) ?? {}) as ParsedFile);
    } catch (error) {
      throw error instanceof SyntaxError ? this.#damaged('is damaged', error) : error;
    }
  }

  /** Decodes a file that was edited by hand. */
  #decode(bytes: Buffer, { checksum: expected, prefix, until, keys, versions }: ParsedFile): Content {
    if (expected !== undefined && checksum(bytes.subarray(CHECKED)) !== expected) {
      const error = this.#damaged('was changed after podsync wrote it');
      throw new StorageError('corrupt', `${error.message}, or remove its line "checksum" to accept the change`);
    }
    const suffixes = Object.keys(keys ?? {}).toSorted();
    const isWhole = prefix === this.#prefix && typeof until === 'string' && suffixes.length === versions?.length;
    if (!isWhole) throw this.#damaged('is damaged');
    const toEntry = (suffix: string, place: number): Entry => ({
      key: `${prefix}${suffix}`,
      value: JSON.stringify(keys[suffix]),
      version: versions[place]!,
    });
    return { entries: suffixes.map(toEntry), until };
  }

  #damaged(what: string, cause?: unknown): StorageError {
    return new StorageError('corrupt', `${this.#path} ${what}; restore the data folder from a backup`, { cause });
  }

  write({ entries, until }: Content): Promise<void> {
    const prefix = this.#prefix;
    const text = new TextBuffer(totalSize(entries));
    text.append(`${HEAD}00000000${AFTER_CHECKSUM}${afterChecksum(prefix)}`);
    for (const [place, { key, value }] of entries.entries()) {
      text.append(`${place === 0 ? '' : ',\n'}${quote(key.slice(prefix.length))}: `);
      text.append(onOneLine(value));
    }
    const versions = entries.map(({ version }) => version).join();
    text.append(`\n},\n"until": ${JSON.stringify(until)},\n"versions": [${versions}]\n}\n`);
    const { bytes } = text;
    bytes.write(checksum(bytes.subarray(CHECKED)), HEAD.length, 'latin1');
    return replaceFile(this.#path, bytes);
  }
}

const afterChecksum = (prefix: string): string => `"prefix": ${JSON.stringify(prefix)},\n"keys": {\n`;

/** A key as JSON, without quotes inside. */
const quote = (key: string): string =>
  `"${key.replace(/["\\]/g, (char) => (char === '"' ? String.raw`\u0022` : String.raw`\u005c`))}"`;

function isAsWritten(bytes: Buffer, prefix: string): boolean {
  const expected = `${HEAD}${checksum(bytes.subarray(CHECKED))}${AFTER_CHECKSUM}${afterChecksum(prefix)}`;
  return bytes.toString('latin1', 0, expected.length) === expected;
}

const [COMMA, BRACE, BACKSLASH] = [0x2c, 0x7d, 0x5c];

/** Reads values as text: parsing and serializing them would dominate the time of a start. */
function readLines(bytes: Buffer, prefix: string): Content {
  const found: { key: Key; value: string }[] = [];
  let at = CHECKED + afterChecksum(prefix).length;
  while (bytes[at] !== BRACE) {
    const newline = bytes.indexOf(LINE_END, at);
    if (newline > at) {
      const keyEnd = bytes.indexOf('": ', at) + 1;
      const isEscaped = bytes.subarray(at, keyEnd).includes(BACKSLASH);
      const key = bytes.toString('latin1', at + 1, keyEnd - 1);
      const end = bytes[newline - 1] === COMMA ? newline - 1 : newline;
      found.push({ key: isEscaped ? JSON.parse(`"${key}"`) : key, value: bytes.toString('utf8', keyEnd + 2, end) });
    }
    at = newline + 1;
  }
  const { until, versions } = JSON.parse(`{${bytes.toString('utf8', at + 2)}`) as ParsedFile;
  return {
    entries: found.map(({ key, value }, place) => ({ key: `${prefix}${key}`, value, version: versions[place]! })),
    until,
  };
}

/** Rejects with `corrupt` if the file is damaged or missing. */
export async function readPart(path: string, prefix: string): Promise<Content> {
  const file = new Low<Content>(new PartFile(path, prefix), { entries: [], until: prefix });
  await file.read();
  return file.data;
}

/** Replaces the file, see `replaceFile`. */
export const writePart = (path: string, prefix: string, until: Key, entries: readonly Entry[]): Promise<void> =>
  new Low<Content>(new PartFile(path, prefix), { entries, until }).write();
