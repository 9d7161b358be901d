import { get } from 'node:http';
import { expect, it, vi } from 'vitest';
import type { EpisodeAction } from '../../../src/domain/types.ts';
import { StorageError } from '../../../src/storage/errors.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const PATH = '/api/2/episodes/bob.json';

const page = Array.from({ length: 1000 }, (_, at): EpisodeAction => ({
  podcast: 'http://example.org/feed',
  episode: `http://example.org/${at}.mp3`,
  action: 'download',
  timestamp: 1_600_000_000 + at,
}));

/** A server with an endless history, or one that ends with an error; `wasClosed` is called when its reader stops. */
async function serveHistory(
  failure?: StorageError,
  most = failure ? 3 : Infinity,
): Promise<{ server: TestServer; wasClosed: ReturnType<typeof vi.fn> }> {
  const server = await openTestServer({}, 'socket');
  const wasClosed = vi.fn();
  vi.spyOn(server.storage.actions, 'query').mockResolvedValue({
    mark: 1,
    pages: (async function* () {
      try {
        for (let pages = 0; pages < most; pages++) yield page;
        throw failure!;
      } finally {
        wasClosed();
      }
    })(),
  });
  return { server, wasClosed };
}

it.each(['identity', 'gzip', 'br'])('closes a long response to HEAD (%s)', async (coding) => {
  const { server, wasClosed } = await serveHistory();
  const answer = await server.request('HEAD', PATH, { auth, headers: { 'accept-encoding': coding } });
  expect(answer.status).toBe(200);
  expect(wasClosed).toHaveBeenCalledOnce();
});

it.each(['identity', 'gzip', 'br'])('closes a long response when its client disconnects (%s)', async (coding) => {
  const { server, wasClosed } = await serveHistory();
  const headers = { authorization: `Basic ${btoa(auth)}`, 'accept-encoding': coding };
  const sent = get(`${server.origin}${PATH}`, { headers }, (answer) =>
    answer.once('data', () => sent.destroy()).on('error', () => undefined),
  );
  await vi.waitFor(() => expect(wasClosed).toHaveBeenCalledOnce(), 40_000);
});

/** Whether the history is received completely. */
async function isWhole({ request }: TestServer, coding: string): Promise<boolean> {
  try {
    const answer = await request('GET', PATH, { auth, headers: { 'accept-encoding': coding } });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

it.each(['identity', 'gzip', 'br'])('logs why a response was cut off half-way (%s)', async (coding) => {
  const { server } = await serveHistory(new StorageError('corrupt', 'a file of actions is damaged'));
  expect(await isWhole(server, coding)).toBe(false);
  expect(server.errors.splice(0)).toEqual(['a response was cut off: a file of actions is damaged']);
});

it('answers with an error if the first page of a history cannot be read', async () => {
  const { server } = await serveHistory(new StorageError('unavailable', 'the database cannot be reached'), 0);
  const answer = await server.request('GET', PATH, { auth });
  expect([answer.status, await answer.json()]).toEqual([503, { code: 503, message: expect.any(String) }]);
  expect(server.errors.splice(0)).toEqual([expect.stringContaining('the database cannot be reached')]);
});

it('logs nothing if an account is deleted while its history is read', async () => {
  const { server } = await serveHistory(new StorageError('missing', 'the account does not exist'));
  expect(await isWhole(server, 'identity')).toBe(false);
  expect(server.errors).toEqual([]);
});
