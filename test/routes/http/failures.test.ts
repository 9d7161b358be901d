import { expect, it, vi } from 'vitest';
import { StorageError, type StorageErrorCode } from '../../../src/storage/errors.ts';
import { openTestServer, type TestServerOptions } from '../../server.ts';

const DEVICES = '/api/2/devices/bob.json';
const DETAILS = 'why it failed, and where';

/** The response to a request that needs what cannot be read, and what is logged. */
async function fail(error: unknown, options: TestServerOptions = {}) {
  const server = await openTestServer(options);
  vi.spyOn(server.storage.devices, 'all').mockRejectedValue(error);
  const answer = await server.request('GET', DEVICES, { auth: 'bob:secret' });
  const { code, message } = (await answer.json()) as { code: number; message: string };
  expect(code).toBe(answer.status);
  return { status: code, message, retryAfter: answer.headers.get('retry-after'), logged: server.errors.splice(0) };
}

it.each<[StorageErrorCode, number, retryAfter: string | null, message: string]>([
  ['busy', 503, '30', 'the storage is busy; try again in a while'],
  ['corrupt', 503, '30', 'stored data cannot be read; the administrator of this server finds details in its log'],
  ['unavailable', 503, '30', 'the storage is not available right now; try again in a while'],
  ['full', 507, null, 'the server has no space left; no part of this request was stored'],
])(
  'a storage that is %s: %i, with details only in the log, or for the operator',
  async (code, status, retryAfter, message) => {
    const error = new StorageError(code, DETAILS);
    expect(await fail(error)).toEqual({ status, retryAfter, message, logged: [DETAILS] });
    expect(await fail(error, { operator: true })).toEqual({ status, retryAfter, message: DETAILS, logged: [] });
  },
);

it.each<[StorageErrorCode, number]>([
  ['conflict', 409],
  ['missing', 404],
])('what is a %s for the storage: %i, which is nothing to log', async (code, status) => {
  const expected = { status, retryAfter: null, message: DETAILS, logged: [] };
  expect(await fail(new StorageError(code, DETAILS))).toEqual(expected);
});

it('what podsync did not expect: 500, and where it happened only in the log', async () => {
  const message = 'something went wrong here; the administrator of this server finds details in its log';
  const logged = [expect.stringMatching(/did not expect: Error: why it failed, and where\n +at .*failures\.test\.ts/)];
  expect(await fail(new Error(DETAILS))).toEqual({ status: 500, retryAfter: null, message, logged });
});
