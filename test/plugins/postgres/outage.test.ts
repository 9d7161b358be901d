import { expect, it } from 'vitest';
import postgres from '../../../plugins/postgres/index.ts';
import { isStorageError } from '../../../src/plugin.ts';
import { startServer } from '../../postgres/server.ts';

const ROUNDS = 4;
const WRITERS = 6;

it.each(['SIGINT', 'SIGKILL'] as const)(
  'PostgreSQL is stopped (%s) and started repeatedly: calls are refused meanwhile, and nothing is lost',
  { timeout: 600_000 },
  async (signal) => {
    const server = await startServer({ durable: true });
    const store = await postgres.open(postgres.parse(server.url), { dataDir: '', log: () => undefined });
    const stored = new Map<string, number>();
    let refused = 0;
    let number = 0;

    const writeUntil = async (isOver: () => boolean): Promise<void> => {
      const write = async (): Promise<void> => {
        while (!isOver()) {
          const name = (number += 1);
          const [key, other] = [`k/${name}`, `other/${name}`];
          try {
            const set = [key, other].map((each) => [each, '1'] as const);
            stored.set(key, (await store.commit({ check: [[key, 0]], set }))!);
          } catch (error) {
            if (!isStorageError(error, 'unavailable')) throw error;
            refused += 1;
          }
          await store.get([key]).catch((error: unknown) => expect(error).toMatchObject({ code: 'unavailable' }));
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, write));
    };

    for (let round = 0; round < ROUNDS; round += 1) {
      const [before, wanted] = [refused, stored.size + 50];
      await writeUntil(() => stored.size >= wanted);
      const writing = writeUntil(() => refused >= before + 20);
      await server.stop(signal);
      await writing;
      await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
      await server.start();
      const goal = stored.size + 20;
      await writeUntil(() => stored.size >= goal);
      await store.ping();
    }

    const found = await store.list({ from: 'k/', until: 'k0', limit: 1_000_000 });
    const versions = new Map(found.map(({ key, version }) => [key, version]));
    for (const [key, version] of stored) expect([key, versions.get(key)]).toEqual([key, version]);
    const others = await store.list({ from: 'other/', until: 'other0', limit: 1_000_000 });
    expect(new Map(others.map(({ key, version }) => [key.replace('other', 'k'), version]))).toEqual(versions);
    await store.close();
    await server.destroy();
  },
);
