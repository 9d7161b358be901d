import { expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { createRandom, seed } from '../seed.ts';
import { createClient, runPodsync, type RunningServer, serve } from './program.ts';
import { Uploads } from './uploads.ts';

const UPLOADERS = 8;
const EPISODES = '/api/2/episodes/bob.json';

it.each([
  ['json', 20],
  ['sqlite:podsync.db', 10],
])(
  'acknowledged uploads survive kill -9 completely, and no upload is stored in part: %s, %i times',
  { timeout: 600_000 },
  async (storage, rounds) => {
    const random = createRandom(seed);
    const data = await makeFolder();
    const place = ['--data', data, '--storage', storage];
    await runPodsync(['user', 'add', 'bob', '--password-stdin', ...place], 'secret\n');
    let server: RunningServer = await serve(place);
    const request = createClient(() => server, 'bob:secret');
    const uploads = new Uploads(random);

    /** Uploads without a pause until the server has stopped. */
    const uploadUntilKilled = async (killAfter: number): Promise<void> => {
      let answers = 0;
      const run = async (): Promise<void> => {
        for (;;) {
          const upload = uploads.create();
          const answer = await request('POST', EPISODES, upload.actions).catch(() => undefined);
          if (!answer) return;
          expect(answer.status).toBe(200);
          upload.answered = true;
          if (++answers === killAfter) void server.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: UPLOADERS }, run));
    };

    for (let round = 0; round < rounds; round++) {
      await uploadUntilKilled(20 + random(100));
      await server.kill('SIGKILL');
      server = await serve(place);
    }

    const { actions } = (await (await request('GET', EPISODES)).json()) as { actions: { episode: string }[] };
    uploads.expectIn(actions);
    expect(uploads.answered).toBeGreaterThanOrEqual(rounds * 20);

    await server.kill('SIGTERM');
  },
);
