import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createClient, runPodsync, serve } from '../../../process/program.ts';
import { createRandom, Uploads } from '../../../process/uploads.ts';
import { seed } from '../../../seed.ts';
import { startServer } from '../../../postgres/server.ts';

const ROUNDS = 5;
const UPLOADERS = 4;
const EPISODES = '/api/2/episodes/bob.json';

it.each(['SIGINT', 'SIGKILL'] as const)(
  'PostgreSQL goes away (%s) and comes back, again and again: podsync says so, goes on, and has lost nothing',
  { timeout: 120_000 },
  async (signal) => {
    const random = createRandom(seed);
    const data = await mkdtemp(join(tmpdir(), 'podsync-outage-'));
    const postgres = await startServer({ durable: true });
    const place = ['--data', data, '--storage', postgres.url];
    await runPodsync(['user', 'add', 'bob', '--password-stdin', ...place], 'secret\n');
    const server = await serve(place);
    const request = createClient(() => server, 'bob:secret');
    const uploads = new Uploads(random);
    let refused = 0;

    const uploadUntil = async (isOver: () => boolean): Promise<void> => {
      const run = async (): Promise<void> => {
        while (!isOver()) {
          const upload = uploads.create();
          const answer = await request('POST', EPISODES, upload.actions);
          upload.answered = answer.status === 200;
          if (upload.answered) continue;
          refused += 1;
          expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
          const { message } = (await answer.json()) as { message: string };
          expect(message).toBe('the storage is not there right now; try again in a while');
        }
      };
      await Promise.all(Array.from({ length: UPLOADERS }, run));
    };

    for (let round = 0; round < ROUNDS; round += 1) {
      const [before, wanted] = [refused, uploads.answered + 10 + random(30)];
      await uploadUntil(() => uploads.answered >= wanted);
      const going = uploadUntil(() => refused >= before + 20);
      await postgres.stop(signal);
      await going;
      expect((await request('GET', '/health')).status).toBe(503);
      await postgres.start();
      // It may still be getting up: the first who are let in are those that count.
      const goal = uploads.answered + 10;
      await uploadUntil(() => uploads.answered >= goal);
      expect((await request('GET', '/health')).status).toBe(200);
    }

    const answer = (await (await request('GET', EPISODES)).json()) as { actions: { episode: string }[] };
    uploads.expectIn(answer.actions);
    expect(server.process.exitCode).toBeNull();
    await server.kill('SIGTERM');
    await postgres.destroy();
    await rm(data, { recursive: true });
  },
);
