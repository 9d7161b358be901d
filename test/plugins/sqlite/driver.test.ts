import { describe, expect, it } from 'vitest';
import { loadPackage } from '../../../plugins/sqlite/driver.ts';
import { toStorageError } from '../../../plugins/sqlite/failure.ts';

describe('better-sqlite3', () => {
  it('is missing: the error says how to install it', async () => {
    const missing = loadPackage(() => import('better-sqlite3-that-nobody-has' as string));
    await expect(missing).rejects.toMatchObject({ code: 'unavailable' });
    await expect(missing).rejects.toThrow(
      /: npm install better-sqlite3@\S+ \(with -g if podsync was installed with -g\)$/,
    );
  });

  it('is built for another Node: the error says how to rebuild it', async () => {
    const broken = loadPackage(() => Promise.reject(new Error('NODE_MODULE_VERSION 93')));
    await expect(broken).rejects.toThrow('cannot be loaded (NODE_MODULE_VERSION 93); rebuild it');
  });
});

it.each([
  [13, 'database or disk is full', 'full', 'cannot grow because the disk is full'],
  [5 | (2 << 8), 'database is locked', 'busy', 'is in use by another process'],
  [11 | (1 << 8), 'database disk image is malformed', 'corrupt', 'is damaged'],
  [10 | (3 << 8), 'disk I/O error', 'unavailable', '(SQLite error 778, disk I/O error)'],
])('error %i of node:sqlite has the same meaning as the error of better-sqlite3', (errcode, errstr, code, text) => {
  const error = Object.assign(new Error(errstr), { code: 'ERR_SQLITE_ERROR', errcode, errstr });
  expect(toStorageError(error, 'podsync.sqlite')).toMatchObject({ code, message: expect.stringContaining(text) });
});
