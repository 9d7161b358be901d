import { createHash } from 'node:crypto';
import { invalid, Refusal } from '../../domain/errors.ts';
import { readLines } from './bytes.ts';
import { parseLine } from './line.ts';
import { type BackupRecord, mayFollow, readRecord } from './record.ts';
import { Misshapen } from './shape.ts';
import { HEADER } from './write.ts';

/**
 * The records of a backup, packed with gzip or not. Throws `invalid` for one that was cut off or altered, and names the
 * line. The records before it are as they were written; only the end shows that there are no more of them. `accept`
 * answers what is to be read in place of a record, and throws `invalid` for one that no podsync would have written.
 */
export async function* readBackup(
  bytes: AsyncIterable<Uint8Array>,
  accept: (record: BackupRecord) => BackupRecord = (record) => record,
): AsyncIterable<BackupRecord[]> {
  const hash = createHash('sha256');
  let lines = 0;
  let before: BackupRecord['kind'] | undefined;
  let isComplete = false;

  const check = (record: BackupRecord): BackupRecord => {
    try {
      return accept(record);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(error.code, `line ${lines + 1} of the backup cannot be imported: ${error.message}`);
    }
  };

  /** The record of a line; undefined for the first and the last one. */
  const read = (line: Buffer): BackupRecord | undefined => {
    if (isComplete) throw new Misshapen('it comes after the end');
    const value = parseLine(line.toString());
    if (lines === 0) return checkHeader(value);
    if (value.kind === 'end') {
      isComplete = value.lines === lines && value.sha256 === hash.copy().digest('hex');
      if (isComplete) return undefined;
      throw new Misshapen('it tells of other lines than those before it');
    }
    const record = readRecord(value);
    if (!mayFollow(record.kind, before)) throw new Misshapen('it does not belong there');
    before = record.kind;
    return check(record);
  };

  try {
    for await (const page of readLines(bytes)) {
      const records: BackupRecord[] = [];
      for (const line of page) {
        const record = read(line);
        hash.update(line).update('\n');
        lines += 1;
        if (record) records.push(record);
      }
      if (records.length > 0) yield records;
    }
    if (lines === 0) throw new Misshapen('it is missing');
    if (!isComplete) {
      throw invalid(`the backup ends after line ${lines}, without its last line; take another copy of it`);
    }
  } catch (error) {
    if (!(error instanceof Misshapen || error instanceof SyntaxError)) throw error;
    const line = `line ${lines + 1}`;
    if (lines === 0) {
      throw invalid(
        `this is no backup of podsync (an OPML is for import-opml), or ${line} of it was cut off or altered`,
      );
    }
    throw invalid(`${line} of the backup was cut off or altered: ${error.message}; take another copy of it`);
  }
}

function checkHeader({ kind, format }: Record<string, unknown>): undefined {
  if (kind !== HEADER.kind) throw new Misshapen('it is no first line');
  if (format === HEADER.format) return;
  throw invalid(`this backup is of format ${Number(format)}, and this podsync reads ${HEADER.format}; update podsync`);
}
