import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../seed.ts';
import { type Client, type Device, listPath } from './client.ts';
import type { Step } from './scenario.ts';
import type { ModelServer } from './server.ts';
import type { World } from './world.ts';

/** Tests run concurrently, as most of the time is spent waiting for the disk. */
const CONCURRENT_TESTS = 3;
/** Milliseconds to look for a smaller scenario that fails. All are played, however slow the machine is. */
const SHRINKING = 60_000;
/** Enough for all clients to upload everything. */
const MAX_ROUNDS = 10;

/** Plays `runs` random scenarios. */
export function testScenarios<T>(
  title: string,
  scenarios: fc.Arbitrary<T>,
  runs: number,
  play: (scenario: T) => Promise<void>,
): void {
  it.concurrent.each(Array.from({ length: CONCURRENT_TESTS }, (_, index) => seed + index))(
    `${title} (seed %i)`,
    async (seed) => {
      let failedAt = Infinity;
      const playUntilShrunk = async (each: T): Promise<void> => {
        if (performance.now() - failedAt > SHRINKING) return;
        await play(each).catch((error: unknown) => {
          failedAt = Math.min(failedAt, performance.now());
          throw error;
        });
      };
      const numRuns = Math.ceil(runs / CONCURRENT_TESTS);
      await fc.assert(fc.asyncProperty(scenarios, playUntilShrunk), { seed, numRuns });
    },
    600_000,
  );
}

export interface Stage {
  server: ModelServer;
  world: World;
  devices: readonly Device[];
  /** The devices, and others that only read. */
  clients: readonly Client[];
}

export async function perform(step: Step, { server, world, devices, clients }: Stage): Promise<void> {
  const device = (number: number): Device => devices[number % devices.length]!;
  const client = (number: number): Client => clients[number % clients.length]!;
  const several = (numbers: readonly number[]): Client[] => [...new Set(numbers.map(client))];
  switch (step.kind) {
    case 'request':
      return world.request(client(step.client));
    case 'sync':
      return world.finishSync(client(step.client));
    case 'lose-response':
      return world.request(client(step.client), { losesResponse: true });
    case 'replace-list':
      return world.replaceList(device(step.client));
    case 'concurrent-requests': {
      const first = several(step.first);
      const later = several(step.later).filter((each) => !first.includes(each));
      return world.concurrentRequests(first, step.jump, later, step.ticks);
    }
    case 'concurrent-syncs':
      await Promise.all(several(step.clients).map((each) => world.finishSync(each)));
      return undefined;
    case 'listen':
      return world.listen(device(step.client), step.count, step.clockError);
    case 'toggle-feed':
      return device(step.client).library.toggle(`http://example.org/feed-${step.feed}`);
    case 'clock':
      server.wall += step.seconds;
      return undefined;
    case 'link-devices':
      return world.linkDevices();
    case 'browse':
      return world.browse(step.form);
    case 'restart':
      return server.restart();
  }
}

/** Syncs all clients until they have uploaded everything. */
export async function uploadAll(world: World, clients: readonly (Client | Device)[]): Promise<void> {
  const isDone = (client: Client | Device): boolean => !('library' in client) || client.library.isUploaded;
  for (let round = 0; !clients.every(isDone) && round < MAX_ROUNDS; round++) {
    for (const client of clients) await world.finishSync(client);
  }
  expect(clients.filter((client) => !isDone(client))).toEqual([]);
}

/** Syncs all clients from start to end, which lets them receive everything that was uploaded before. */
export async function syncAll(world: World, clients: readonly Client[]): Promise<void> {
  for (const client of clients) if (world.isSyncing(client)) await world.finishSync(client);
  for (const client of clients) await world.finishSync(client);
}

/** The list of a device on the server, sorted. */
export async function readList(server: ModelServer, device: string): Promise<string[]> {
  const response = await server.get(listPath(device));
  return response.status === 404 ? [] : ((await response.json()) as string[]).toSorted();
}
