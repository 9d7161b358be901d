import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writeLine } from '../../src/formats/backup/ndjson.ts';
import { readBackup } from '../../src/formats/backup/read.ts';
import type { BackupRecord } from '../../src/formats/backup/record.ts';
import { writeBackup } from '../../src/formats/backup/write.ts';
import { RECORDS } from './backup-records.ts';

async function* inChunks<T>(items: ArrayLike<T> & { slice(from: number, to: number): any }, size: number) {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

const write = async (records: readonly BackupRecord[], pageSize = 4): Promise<Buffer> => {
  let text = '';
  for await (const chunk of writeBackup(inChunks(records, pageSize))) text += chunk;
  return Buffer.from(text);
};

const read = async (backup: Uint8Array, chunkSize = 65_536): Promise<BackupRecord[]> => {
  const records: BackupRecord[] = [];
  for await (const page of readBackup(inChunks(backup, chunkSize))) records.push(...page);
  return records;
};

/** The error of reading a backup. */
const refusal = async (backup: Uint8Array): Promise<string> =>
  read(backup).then(
    () => 'it was accepted',
    (error: Error & { code?: string }) =>
      error.code === 'invalid' ? error.message : `unexpected error: ${error.stack}`,
  );

/** The line that the error names. */
const lineOf = async (backup: Uint8Array): Promise<string> =>
  /line \d+/.exec(await refusal(backup))?.[0] ?? refusal(backup);

const toBackup = (...lines: object[]): Buffer => Buffer.from(lines.map(writeLine).join(''));

const HEADER = { kind: 'podsync-backup', format: 1 };

describe('a backup', () => {
  it('is read as it was written, gzipped or not, in chunks of any size', async () => {
    const backup = await write(RECORDS);
    expect(await read(backup)).toEqual(RECORDS);
    expect(await read(backup, 1)).toEqual(RECORDS);
    expect(await read(gzipSync(backup), 7)).toEqual(RECORDS);
  });

  it('is the same text for the same data, whatever the page size and the order of keys', async () => {
    const reverse = (value: any): any =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .map(([key, part]) => [key, reverse(part)])
              .toReversed(),
          )
        : value;
    const backup = await write(RECORDS);
    expect(await write(RECORDS.map(reverse), 1)).toEqual(backup);
  });

  it('has one JSON object in each line, and the last line counts the others', async () => {
    const lines = (await write(RECORDS)).toString().trimEnd().split('\n');
    const values = lines.map((line) => JSON.parse(line));
    expect(values[0]).toMatchObject(HEADER);
    expect(values.at(-1)).toMatchObject({ kind: 'end', lines: RECORDS.length + 1 });
    expect(values.slice(1, -1).map(({ kind }) => kind)).toEqual(RECORDS.map(({ kind }) => kind));
  });

  it('may be empty', async () => {
    expect(await read(await write([]))).toEqual([]);
  });
});

describe('is refused, and the error names the line, if', () => {
  it('it is cut off anywhere', async () => {
    const backup = await write(RECORDS);
    for (let size = 0; size < backup.length; size++) {
      const text = backup.subarray(0, size).toString();
      const lines = text.split('\n').length;
      expect(await refusal(backup.subarray(0, size)), `${size} of ${backup.length} bytes`).toMatch(
        text.endsWith('\n') ? `ends after line ${lines - 1}, without its last line` : `line ${lines} of`,
      );
    }
  });

  it('any byte is altered', async () => {
    const backup = await write(RECORDS);
    for (let at = 0; at < backup.length; at++) {
      const altered = Buffer.from(backup);
      altered[at]! ^= 1;
      const lines = backup.subarray(0, at).toString().split('\n').length;
      expect(await lineOf(altered), `byte ${at}`).toBe(`line ${lines}`);
    }
  });

  it('a gzipped one is cut off or altered', async () => {
    const packed = gzipSync(await write(RECORDS));
    for (const size of [1, 5, 20, packed.length - 100, packed.length - 8, packed.length - 1]) {
      expect(await lineOf(packed.subarray(0, size)), `${size} of ${packed.length} bytes`).toMatch(/^line \d+$/);
    }
    packed[packed.length >> 1]! ^= 1;
    expect(await lineOf(packed)).toMatch(/^line \d+$/);
  });

  it('a line is missing, duplicated or moved', async () => {
    const lines = (await write(RECORDS)).toString().split(/(?<=\n)/);
    const without = [...lines.slice(0, 6), ...lines.slice(7)];
    const duplicated = [...lines.slice(0, 7), ...lines.slice(6)];
    expect(await lineOf(Buffer.from(without.join('')))).toBe(`line ${lines.length - 1}`);
    expect(await lineOf(Buffer.from(duplicated.join('')))).toBe(`line ${lines.length + 1}`);
    expect(await lineOf(Buffer.from([...lines, ...lines].join('')))).toBe(`line ${lines.length + 1}`);
    expect(await lineOf(Buffer.from([...lines.slice(0, 2), lines[5], lines[3]].join('')))).toBe('line 4');
  });

  it.each<[string, unknown, RegExp]>([
    ['lacks a key', { kind: 'session', digest: 'x' }, /it\.expiresAt is missing/],
    ['has a value of the wrong type', { kind: 'group', devices: ['a', 1] }, /it\.devices\[1\] must be a string/],
    [
      'lacks a value',
      { kind: 'settings', scope: { kind: 'account' }, values: [['a']] },
      /it\.values\[0\]\[1\] must be a value/,
    ],
    ['is of an unknown kind', { kind: 'constructor' }, /has a kind that this podsync does not know/],
    ['has an unknown key', { kind: 'list', list: { name: '', title: '', urls: [], x: 1 } }, /it\.list has a key/],
    ['has an unknown type', { kind: 'device', device: { id: 'a', caption: '', type: 'tv' }, place: 1 }, /desktop, /],
  ])('a record %s', async (_title, record, says) => {
    const user = { kind: 'user', name: 'bob', createdAt: 1, stamp: 1 };
    const message = await refusal(toBackup(HEADER, user, record as object));
    expect(message).toMatch(/^line 3 of the backup was cut off or altered: /);
    expect(message).toMatch(says);
  });

  it.each<[string, BackupRecord['kind'][]]>([
    ['a record of an account comes before the account', ['device']],
    ['a record of an account comes after the directory', ['tag', 'session']],
    ['an account comes after the directory', ['tag', 'user']],
    ['an episode comes before its podcast', ['tag', 'episode']],
    ['an account is out of order', ['user', 'action', 'device']],
  ])('%s', async (_title, kinds) => {
    const records = kinds.map((kind) => RECORDS.find((record) => record.kind === kind)!);
    expect(await refusal(toBackup(HEADER, ...records))).toMatch(
      `line ${kinds.length + 1} of the backup was cut off or altered: it is out of order`,
    );
  });
});

it.each([
  ['nothing', ''],
  ['OPML', '<?xml version="1.0"?>\n<opml/>\n'],
  ['JSON', '{"kind":"podsync-backup","format":1}\n'],
])('%s is not a backup', async (_title, text) => {
  expect(await refusal(Buffer.from(text))).toMatch(/^this is not a podsync backup/);
});

it('a backup by a later podsync asks for an update', async () => {
  expect(await refusal(toBackup({ kind: 'podsync-backup', format: 2 }))).toMatch(/has format 2, .*; update podsync$/);
});

it('a record that could not be read again is not written', async () => {
  const record = { kind: 'group', devices: [1] } as unknown as BackupRecord;
  await expect(write([RECORDS[0]!, record])).rejects.toThrow('it.devices[0] must be a string');
});
