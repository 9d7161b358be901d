import { createHash } from 'node:crypto';
import { writeLine } from './backup-line.ts';
import { type BackupRecord, readRecord } from './backup-record.ts';

/** The first line. `format` is the one that this podsync writes and reads. */
export const HEADER = { kind: 'podsync-backup', format: 1 };

/**
 * A backup as pieces of text. Each line is a JSON object with a checksum: first what it is, then the records, and last
 * their `end`: how many lines stand before it, and the SHA-256 of them. Nothing else: two backups of the same data are the
 * same. Throws `Misshapen` where a storage tells what is no record.
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
