import { open, readdir, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { eachInSlices, type Key, StorageError, type Value, type Version } from '../../src/plugin.ts';
import { toStorageError } from './durable-files.ts';
import type { Change } from './group.ts';
import { TextBuffer } from './text-buffer.ts';

/*
 * A line of the write-ahead log is a group of commits written with one sync: ["<crc32 of the
 * rest>",[<version>,{<key>:<value>,...},[<deleted key>,...]],...]. Until the sync, a power cut may lose any part of the
 * line. One checksum covers the whole line, to detect that.
 */

const NAME = /^wal-(\d{12,})\.jsonl$/;
export const logName = (number: number): string => `wal-${String(number).padStart(12, '0')}.jsonl`;

const HEAD = '["00000000",';
const CHECKSUM_START = 2;
export const LINE_END = 10;

export const checksum = (bytes: Uint8Array): string => crc32(bytes).toString(16).padStart(8, '0');

/** The changes of one commit. */
export interface LoggedCommit {
  version: Version;
  changes: readonly Change[];
}

/** Characters around a change, or around the changes of a commit, in a line: at most these, unless keys are escaped. */
const AROUND = 32;

/** Approximate characters of a commit. */
export const lengthOf = ({ changes }: LoggedCommit): number =>
  changes.reduce((sum, { key, value = '' }) => sum + key.length + value.length + AROUND, AROUND);

/** Encodes a line, in time slices, as a commit may be long. */
export async function encodeLine(commits: readonly LoggedCommit[]): Promise<Buffer> {
  const line = new TextBuffer(commits.reduce((sum, commit) => sum + lengthOf(commit), AROUND));
  await eachInSlices(appendCommits(line, commits));
  const { bytes } = line;
  bytes.write(checksum(bytes.subarray(HEAD.length, -1)), CHECKSUM_START, 'latin1');
  return bytes;
}

/** Yields after each change. */
function* appendCommits(line: TextBuffer, commits: readonly LoggedCommit[]): Iterable<void> {
  line.append(HEAD);
  for (const [place, { version, changes }] of commits.entries()) {
    line.append(`${place === 0 ? '' : ','}[${version},{`);
    const deleted: Key[] = [];
    let comma = '';
    for (const { key, value } of changes) {
      if (value === undefined) {
        deleted.push(key);
        continue;
      }
      line.append(`${comma}${JSON.stringify(key)}:`);
      line.append(onOneLine(value));
      comma = ',';
      yield;
    }
    line.append(`},${JSON.stringify(deleted)}]`);
  }
  line.append(']\n');
}

/** JSON text without line breaks. */
export const onOneLine = (value: Value): string => (value.includes('\n') ? JSON.stringify(JSON.parse(value)) : value);

/** Numbers of the log files in a folder, oldest first. */
export async function logNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error) => {
    throw toStorageError(error, folder);
  });
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** A damaged line at the end of a file. */
export interface TornLine {
  path: string;
  line: number;
  /** Bytes before it. */
  length: number;
}

export const damagedLine = ({ path, line }: TornLine): StorageError =>
  new StorageError(
    'corrupt',
    `${path} is damaged in line ${line}; restore the data folder from a backup, or remove that line and lose its changes`,
  );

/** Removes a torn line. Once there is a newer file, it would count as damage. */
export async function truncateTornLine({ path, length }: TornLine): Promise<void> {
  try {
    const file = await open(path, 'r+');
    try {
      await file.truncate(length);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw toStorageError(error, path);
  }
}

/**
 * The commits in the first `length` bytes of a file, and a damaged last line, whose commits were never acknowledged
 * unless a newer file exists. Rejects with `corrupt` for damage elsewhere.
 */
export async function readLog(
  path: string,
  length = Number.MAX_SAFE_INTEGER,
): Promise<{ commits: LoggedCommit[]; tail: TornLine | undefined }> {
  const bytes = await readFile(path).catch((error) => {
    throw toStorageError(error, path);
  });
  const end = Math.min(length, bytes.length);
  const commits: LoggedCommit[] = [];
  let tail: TornLine | undefined;
  for (let start = 0, line = 1, next; start < end; start = next, line += 1) {
    next = bytes.indexOf(LINE_END, start) + 1 || end;
    const found = parseLine(bytes.subarray(start, next));
    if (found && tail) throw damagedLine(tail);
    if (found) for (const commit of found) commits.push(toCommit(commit));
    else tail ??= { path, line, length: start };
  }
  return { commits, tail };
}

type LoggedLine = [version: Version, set: Record<Key, unknown>, deleted: Key[]][];

function parseLine(line: Buffer): LoggedLine | undefined {
  const head = `["${checksum(line.subarray(HEAD.length, -1))}",`;
  if (line.at(-1) !== LINE_END || line.toString('latin1', 0, HEAD.length) !== head) return undefined;
  return JSON.parse(line.toString()).slice(1) as LoggedLine;
}

const toCommit = ([version, set, deleted]: LoggedLine[number]): LoggedCommit => ({
  version,
  changes: [
    ...Object.entries(set).map(([key, value]) => ({ key, value: JSON.stringify(value), version })),
    ...deleted.map((key) => ({ key, value: undefined, version })),
  ],
});
