import { createHash } from 'node:crypto';
import { invalid, Refusal } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseLine, readLines } from './ndjson.ts';
import { type BackupRecord, mayFollow, readRecord, ValidationError } from './record.ts';
import { HEADER } from './write.ts';

/**
 * Reads the records of a backup, gzipped or not. If it was cut off or altered, throws `invalid` and names the line. The
 * records before that line are intact; only the last line confirms that there are no more. `accept` may replace each
 * record, and throws `invalid` for a record that podsync would not have written.
 */
export async function* readBackup(
  bytes: AsyncIterable<Uint8Array>,
  accept: (record: BackupRecord) => BackupRecord = (record) => record,
): AsyncIterable<BackupRecord[]> {
  const hash = createHash('sha256');
  let lines = 0;
  let previous: BackupRecord['kind'] | undefined;
  let isComplete = false;

  const check = (record: BackupRecord): BackupRecord => {
    try {
      return accept(record);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(error.code, `line ${lines + 1} of the backup cannot be imported: ${error.message}`);
    }
  };

  /** The record in a line; undefined for the first and the last line. */
  const read = (line: Buffer): BackupRecord | undefined => {
    if (isComplete) throw new ValidationError('it follows the end of the backup');
    const value = parseLine(line.toString());
    if (lines === 0) return checkHeader(value);
    if (value.kind === 'end') {
      isComplete = value.lines === lines && value.sha256 === hash.copy().digest('hex');
      if (isComplete) return undefined;
      throw new ValidationError('it does not match the lines before it');
    }
    const record = readRecord(value);
    if (!mayFollow(record.kind, previous)) throw new ValidationError('it is out of order');
    previous = record.kind;
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
      yield records;
    }
    if (lines === 0) throw new ValidationError('it is missing');
    if (!isComplete) {
      throw invalid(`the backup ends after line ${lines}, without its last line; take another copy of it`);
    }
  } catch (error) {
    if (!(error instanceof ValidationError || error instanceof SyntaxError)) throw error;
    const line = `line ${lines + 1}`;
    if (lines === 0) {
      throw invalid(
        `this is not a podsync backup (use import-opml for an OPML file), or ${line} of it was cut off or altered`,
      );
    }
    throw invalid(`${line} of the backup was cut off or altered: ${error.message}; take another copy of it`);
  }
}

function checkHeader({ kind, format }: JsonObject): undefined {
  if (kind !== HEADER.kind) throw new ValidationError('it is not a header');
  if (format === HEADER.format) return;
  throw invalid(
    `this backup has format ${Number(format)}, but this podsync reads format ${HEADER.format}; update podsync`,
  );
}
