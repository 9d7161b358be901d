import { open, readdir, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { StorageError } from '../../../src/old-plugin.ts';

const FILE_NAME = /^journal-(\d{12,})\.jsonl$/;
/** How a line begins, before its checksum is known. */
export const HEAD = '["00000000"';
/** Where the rest begins, of which the checksum is. */
export const REST = HEAD.length + 1;
export const fileName = (begin: number): string => `journal-${String(begin).padStart(12, '0')}.jsonl`;

export const checksum = (text: string | Uint8Array): string => crc32(text).toString(16).padStart(8, '0');

/** The beginnings of the files that are there, oldest first. */
export async function journalFiles(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

type JournalEntry = [seq: number, ...pieces: unknown[]];

/** Lines were one change each once, before any release: to pass over those would lose what was answered. */
const OTHER_FORM = 'is in the form of an earlier podsync; start that one on this folder, stop it, then start this one';

/** A damaged line at the end of a file. */
export interface Torn {
  path: string;
  line: number;
  /** Bytes before it. */
  length: number;
}

export const damaged = ({ path, line }: Torn): StorageError =>
  new StorageError(
    'corrupt',
    `${path} is damaged in line ${line}; restore the data folder from a backup, or remove that line and lose its changes`,
  );

/** For good: a torn line that came back would be taken for damage once another file has followed. */
export async function cutOff({ path, length }: Torn): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Answers the changes of a file, and what is torn at its end: of that nobody was told, unless more has followed. Rejects
 * with `corrupt` for damage anywhere else.
 */
export async function readJournal(path: string): Promise<{ records: JournalEntry[]; tail: Torn | undefined }> {
  const text = await readFile(path, 'utf8');
  const lines = text.split('\n');
  const torn = lines.pop() !== '';
  const batches = lines.map((line) => parseLine(line));
  const unread = batches.indexOf(undefined);
  const good = unread === -1 ? batches.length : unread;
  const length = lines.slice(0, good).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const tail: Torn = { path, line: good + 1, length };
  if (batches.slice(good).some((batch) => batch !== undefined)) throw damaged(tail);
  const entries = (batches.slice(0, good) as JournalEntry[][]).flat();
  if (!entries.every((entry) => Array.isArray(entry))) throw new StorageError('corrupt', `${path} ${OTHER_FORM}`);
  return { records: entries, tail: torn || unread !== -1 ? tail : undefined };
}

function parseLine(line: string): JournalEntry[] | undefined {
  if (!line.startsWith('["') || checksum(line.slice(REST)) !== line.slice(2, 10)) return undefined;
  const [, ...batch] = JSON.parse(line) as [string, ...JournalEntry[]];
  return batch;
}
