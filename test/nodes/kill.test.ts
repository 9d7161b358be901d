import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { createTestDatabase } from '../postgres/database.ts';
import { createClient, runPodsync, type RunningServer, serve } from '../process/program.ts';
import { Uploads } from '../process/uploads.ts';
import { createRandom, seed } from '../seed.ts';

const ROUNDS = 10;
const UPLOADERS = 4;
const EPISODES = '/api/2/episodes/bob.json';

type Request = ReturnType<typeof createClient>;

interface Node {
  server: RunningServer;
  request: Request;
}

it('one of two nodes is killed repeatedly, and the other one continues', { timeout: 600_000 }, async () => {
  const random = createRandom(seed);
  const folder = await makeFolder();
  const database = await createTestDatabase();
  const optionsOf = (number: number): string[] => ['--data', join(folder, `${number}`), '--storage', database.url];
  await runPodsync(['user', 'add', 'bob', '--password-stdin', ...optionsOf(0)], 'secret\n');
  const start = async (number: number): Promise<Node> => {
    const server = await serve(optionsOf(number));
    return { server, request: createClient(() => server, 'bob:secret') };
  };
  const nodes = [await start(0), await start(1)];
  const uploads = new Uploads(random);

  /** Uploads without a pause, like several clients. */
  const uploadUntil = async (request: Request, isOver: () => boolean): Promise<void> => {
    const run = async (): Promise<void> => {
      while (!isOver()) {
        const upload = uploads.create();
        const answer = await request('POST', EPISODES, upload.actions);
        expect(answer.status).toBe(200);
        upload.answered = true;
      }
    };
    await Promise.all(Array.from({ length: UPLOADERS }, run));
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const victim = round % 2;
    const [dying, living] = [nodes[victim]!, nodes[1 - victim]!];
    const killAfter = uploads.answered + 20 + random(60);
    let isKilled = false;
    let isBack = false;
    const others = uploadUntil(living.request, () => isBack);
    await uploadUntil(dying.request, () => {
      if (uploads.answered < killAfter) return false;
      isKilled = true;
      void dying.server.kill('SIGKILL');
      return true;
    }).catch((error: unknown) => {
      if (!isKilled) throw error;
    });
    await dying.server.kill('SIGKILL');
    nodes[victim] = await start(victim);
    isBack = true;
    await others;
  }

  expect(uploads.answered).toBeGreaterThanOrEqual(ROUNDS * 20);
  for (const { request } of nodes) {
    const answer = (await (await request('GET', EPISODES)).json()) as { actions: { episode: string }[] };
    uploads.expectIn(answer.actions);
  }

  for (const { server } of nodes) await server.kill('SIGTERM');
  await database.destroy();
});
