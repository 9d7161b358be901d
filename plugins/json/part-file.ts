import { readFile } from 'node:fs/promises';
import { type Adapter, Low } from 'lowdb';
import { type Entry, StorageError, type Version } from '../../src/plugin.ts';
import { replaceFile, toStorageError } from './durable-files.ts';
import { checksum } from './log-file.ts';

/** A file as it is parsed. Keys come without the prefix; versions are in key order. */
interface Content {
  checksum?: string;
  prefix: string;
  keys: Record<string, unknown>;
  versions: Version[];
}

const HEAD = '{\n"checksum": "';
const AFTER_HEAD = '",\n';
const CHECKSUM_END = HEAD.length + 8 + AFTER_HEAD.length;

/**
 * A JSON file with the entries of a part, one key a line. lowdb's own file adapter renames without a sync and leaves
 * files readable for everybody.
 */
class PartFile implements Adapter<readonly Entry[]> {
  readonly #path: string;
  readonly #prefix: string;

  constructor(path: string, prefix: string) {
    this.#path = path;
    this.#prefix = prefix;
  }

  async read(): Promise<Entry[]> {
    const bytes = await readFile(this.#path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? this.#damaged('is missing', '', error) : toStorageError(error, this.#path);
    });
    return this.#decode(bytes);
  }

  #decode(bytes: Buffer): Entry[] {
    let content: Content;
    try {
      content = (JSON.parse(bytes.toString()) ?? {}) as Content;
    } catch (error) {
      throw this.#damaged('is damaged', '', error);
    }
    const { checksum: expected, prefix, keys, versions } = content;
    if (expected !== undefined && checksum(bytes.subarray(CHECKSUM_END)) !== expected) {
      throw this.#damaged(
        'is not as podsync wrote it',
        ', or remove the line with its checksum to have it used as it is',
      );
    }
    const suffixes = Object.keys(keys ?? {}).toSorted();
    if (prefix !== this.#prefix || !Array.isArray(versions) || suffixes.length !== versions.length) {
      throw this.#damaged('is damaged', '');
    }
    return suffixes.map((suffix, place) => ({
      key: `${prefix}${suffix}`,
      value: JSON.stringify(keys[suffix]),
      version: versions[place]!,
    }));
  }

  #damaged(what: string, otherRemedy: string, cause?: unknown): StorageError {
    const message = `${this.#path} ${what}; restore the data folder from a backup${otherRemedy}`;
    return new StorageError('corrupt', message, { cause });
  }

  write(entries: readonly Entry[]): Promise<void> {
    return replaceFile(this.#path, encode(this.#prefix, entries));
  }
}

function encode(prefix: string, entries: readonly Entry[]): Buffer {
  const lines = entries.map(({ key, value }) => `${JSON.stringify(key.slice(prefix.length))}: ${value}`);
  const versions = entries.map(({ version }) => version).join(',');
  const bytes = Buffer.from(
    `${HEAD}00000000${AFTER_HEAD}"prefix": ${JSON.stringify(prefix)},\n"keys": {\n${lines.join(',\n')}\n},\n"versions": [${versions}]\n}\n`,
  );
  bytes.write(checksum(bytes.subarray(CHECKSUM_END)), HEAD.length, 'latin1');
  return bytes;
}

/** Reads the entries of a file, in key order. Rejects with `corrupt` where it is damaged or missing. */
export async function readPart(path: string, prefix: string): Promise<readonly Entry[]> {
  const file = new Low<readonly Entry[]>(new PartFile(path, prefix), []);
  await file.read();
  return file.data;
}

/** Replaces a file with entries in key order. See `replaceFile`. */
export async function writePart(path: string, prefix: string, entries: readonly Entry[]): Promise<void> {
  await new Low<readonly Entry[]>(new PartFile(path, prefix), entries).write();
}
