import { get } from 'node:http';
import { expect, it, vi } from 'vitest';
import type { EpisodeAction } from '../../src/domain/types.ts';
import { openTestServer, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const PATH = '/api/2/episodes/bob.json';

const page = Array.from({ length: 1000 }, (_, at): EpisodeAction => ({
  podcast: 'http://example.org/feed',
  episode: `http://example.org/${at}.mp3`,
  action: 'download',
  timestamp: 1_600_000_000 + at,
}));

/** A server with a history that has no end; tells when it is let go of. */
async function serveHistory(): Promise<{ server: TestServer; wasLeft: ReturnType<typeof vi.fn> }> {
  const server = await openTestServer({}, 'socket');
  const wasLeft = vi.fn();
  vi.spyOn(server.storage.actions, 'query').mockResolvedValue({
    mark: 1,
    pages: (async function* () {
      try {
        for (;;) yield page;
      } finally {
        wasLeft();
      }
    })(),
  });
  return { server, wasLeft };
}

it.each(['identity', 'gzip', 'br'])('lets go of a long answer that HEAD asks for (%s)', async (coding) => {
  const { server, wasLeft } = await serveHistory();
  const answer = await server.request('HEAD', PATH, { auth, headers: { 'accept-encoding': coding } });
  expect(answer.status).toBe(200);
  expect(wasLeft).toHaveBeenCalledOnce();
});

it.each(['identity', 'gzip', 'br'])('lets go of a long answer when its client hangs up (%s)', async (coding) => {
  const { server, wasLeft } = await serveHistory();
  const headers = { authorization: `Basic ${btoa(auth)}`, 'accept-encoding': coding };
  const asking = get(`${server.origin}${PATH}`, { headers }, (answer) =>
    answer.once('data', () => asking.destroy()).on('error', () => undefined),
  );
  await vi.waitFor(() => expect(wasLeft).toHaveBeenCalledOnce());
});
