import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { eachInSlices, type Key, StorageError, type Value, type Version } from '../../src/plugin.ts';
import { wrapErrors } from './file-operations.ts';
import type { Change } from './groups.ts';

/*
 * A line of the write-ahead log is a group of commits written with one sync: ["<crc32 of the
 * rest>",[<version>,{<key>:<value>,...},[<deleted key>,...]],...]. Until the sync, a power cut may lose any part of the
 * line. One checksum covers the whole line, to detect that.
 */

const NAME = /^wal-(\d{12,})\.jsonl$/;
export const logPath = (folder: string, number: number): string =>
  join(folder, `wal-${String(number).padStart(12, '0')}.jsonl`);

const NEWLINE = 0x0a;

export const checksumText = (checksum: number): string => checksum.toString(16).padStart(8, '0');
const head = (checksum: number): string => `["${checksumText(checksum)}",`;
const HEAD_LENGTH = head(0).length;

export interface LoggedCommit {
  version: Version;
  changes: readonly Change[];
}

/** Encodes texts one after the other, in time slices: joining them first takes four times as long. */
export async function encode(texts: readonly string[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let length = 0;
  await eachInSlices(texts, (text) => (length += bytes.write(text, length)));
  return bytes;
}

/** Encodes a line, which may be long. */
export async function encodeLine(commits: readonly LoggedCommit[]): Promise<Buffer> {
  const texts = [head(0)];
  await eachInSlices(textsOf(commits), (text) => texts.push(text));
  const bytes = await encode(texts);
  bytes.write(head(crc32(bytes.subarray(HEAD_LENGTH, -1))));
  return bytes;
}

/** The texts of a line after the checksum. */
function* textsOf(commits: readonly LoggedCommit[]): Iterable<string> {
  for (const [index, { version, changes }] of commits.entries()) {
    yield `${index === 0 ? '' : ','}[${version},{`;
    const deleted: Key[] = [];
    let comma = '';
    for (const { key, value } of changes) {
      if (value === undefined) {
        deleted.push(key);
        continue;
      }
      yield `${comma}${JSON.stringify(key)}:`;
      yield onOneLine(value);
      comma = ',';
    }
    yield `},${JSON.stringify(deleted)}]`;
  }
  yield ']\n';
}

/** JSON text without line breaks. */
export const onOneLine = (value: Value): string => (value.includes('\n') ? JSON.stringify(JSON.parse(value)) : value);

/** Numbers of the log files in a folder, oldest first. */
export async function logNumbers(folder: string): Promise<number[]> {
  const names = await wrapErrors(folder, readdir(folder));
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

const damage = (path: string, line: number): StorageError =>
  new StorageError(
    'corrupt',
    `${path} is damaged in line ${line}; restore the data folder from a backup, or remove that line and lose its changes`,
  );

/**
 * The commits in the first `end` bytes of a file, and the length of their lines. `tail`: the error for a damaged last
 * line, whose commits were never acknowledged unless a newer file exists. Rejects with `corrupt` for damage elsewhere.
 */
export async function readLog(
  path: string,
  end = Number.MAX_SAFE_INTEGER,
): Promise<{ commits: LoggedCommit[]; length: number; tail: StorageError | undefined }> {
  const bytes = (await wrapErrors(path, readFile(path))).subarray(0, end);
  const commits: LoggedCommit[] = [];
  let length = 0;
  let tail: StorageError | undefined;
  for (let start = 0, line = 1, next; start < bytes.length; start = next, line += 1) {
    next = bytes.indexOf(NEWLINE, start) + 1 || bytes.length;
    const found = parseLine(bytes.subarray(start, next));
    if (found && tail) throw tail;
    if (found) length = next;
    else tail ??= damage(path, line);
    for (const commit of found ?? []) commits.push(toCommit(commit));
  }
  return { commits, length, tail };
}

type LoggedLine = [version: Version, set: Record<Key, unknown>, deleted: Key[]][];

function parseLine(line: Buffer): LoggedLine | undefined {
  const expected = head(crc32(line.subarray(HEAD_LENGTH, -1)));
  if (line.at(-1) !== NEWLINE || line.toString('latin1', 0, HEAD_LENGTH) !== expected) return undefined;
  return JSON.parse(line.toString()).slice(1) as LoggedLine;
}

const toCommit = ([version, set, deleted]: LoggedLine[number]): LoggedCommit => ({
  version,
  changes: [
    ...Object.entries(set).map(([key, value]) => ({ key, value: JSON.stringify(value), version })),
    ...deleted.map((key) => ({ key, value: undefined, version })),
  ],
});
