import { createHash } from 'node:crypto';
import { writeLine } from './ndjson.ts';
import { type BackupRecord, readRecord } from './record.ts';

/** The first line. `format` is the version that this podsync writes and reads. */
export const HEADER = { kind: 'podsync-backup', format: 1 };

/**
 * Writes a backup, in chunks of text. Each line is a JSON object with a checksum: the header, the records, and the
 * `end` with the number of lines before it and their SHA-256. Two backups of the same data are identical. Throws
 * `ValidationError` if a storage exports an invalid record.
 */
export async function* writeBackup(pages: AsyncIterable<readonly BackupRecord[]>): AsyncIterable<string> {
  const hash = createHash('sha256');
  let lines = 0;
  const write = (values: readonly object[]): string => {
    const chunk = values.map(writeLine).join('');
    hash.update(chunk);
    lines += values.length;
    return chunk;
  };
  yield write([HEADER]);
  for await (const page of pages) yield write(page.map(readRecord));
  yield writeLine({ kind: 'end', lines, sha256: hash.digest('hex') });
}
