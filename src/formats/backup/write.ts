import { createHash } from 'node:crypto';
import { writeLine } from './line.ts';
import { type BackupRecord, readRecord } from './record.ts';

/** The first line. `format` is the one that this podsync writes and reads. */
export const HEADER = { kind: 'podsync-backup', format: 1 };

/**
 * A backup as pieces of text. Each line is a JSON object with a checksum: first the header, then the records, and last
 * the `end`: how many lines come before it, and their SHA-256. Nothing else: two backups of the same data are the same.
 * Throws `Misshapen` where a storage exports what is no record.
 */
export async function* writeBackup(pages: AsyncIterable<readonly BackupRecord[]>): AsyncIterable<string> {
  const hash = createHash('sha256');
  let lines = 0;
  const count = (values: readonly object[]): string => {
    const piece = values.map(writeLine).join('');
    hash.update(piece);
    lines += values.length;
    return piece;
  };
  yield count([HEADER]);
  for await (const page of pages) yield count(page.map(readRecord));
  yield writeLine({ kind: 'end', lines, sha256: hash.digest('hex') });
}
