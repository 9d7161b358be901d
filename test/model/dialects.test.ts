import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../seed.ts';
import { STORAGE } from '../storages.ts';
import { createAntennaPod } from './antennapod.ts';
import { type Client, type Device, listPath } from './client.ts';
import { createFollower } from './follower.ts';
import { createGpodder } from './gpodder.ts';
import { createNextcloudApp, type Memory } from './nextcloud.ts';
import { everyActionReachesEverybody, nothingIsToldTwice } from './promises.ts';
import { type Step, step } from './scenario.ts';
import { type ModelServer, openModelServer } from './server.ts';
import { World } from './world.ts';

/* Apps of both dialects on one account: those of the Nextcloud dialect have clocks that are fast, slow or right. */

const STRANDS = 3;
const RUNS = STORAGE === 'json' ? 90 : 30;
const MOST_ROUNDS = 10;

const MEMORIES: readonly Memory[] = ['clock after upload', 'clock at start', 'mark plus one'];

interface Fleet {
  apps: { memory: Memory; clockError: number }[];
  devices: ('antennapod' | 'gpodder')[];
  steps: Step[];
}

const clockError = fc.oneof(fc.constantFrom(0, -1, 1, 86_400, -86_400), fc.integer({ min: -600, max: 600 }));
const fleet: fc.Arbitrary<Fleet> = fc.record({
  apps: fc.array(fc.record({ memory: fc.constantFrom(...MEMORIES), clockError }), { minLength: 1, maxLength: 3 }),
  devices: fc.array(fc.constantFrom('antennapod', 'gpodder'), { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { maxLength: 150, size: 'max' }),
});

it.concurrent.each(Array.from({ length: STRANDS }, (_, strand) => seed + strand))(
  'apps of both dialects lose nothing, whatever their clocks say (seed %i)',
  (seed) =>
    fc.assert(fc.asyncProperty(fleet, play), {
      seed,
      numRuns: Math.ceil(RUNS / STRANDS),
      interruptAfterTimeLimit: 60_000, // of shrinking, in the main
    }),
  120_000,
);

async function play({ apps, devices: kinds, steps }: Fleet): Promise<void> {
  const server = await openModelServer();
  const world = new World(server);
  const create = async ({ memory, clockError }: Fleet['apps'][number], index: number): Promise<Device> => {
    const name = `app ${index}`;
    const password = await server.createAppPassword(name);
    return createNextcloudApp({ name, password, memory, clock: () => server.wall + clockError });
  };
  const nextcloud = await Promise.all(apps.map(create));
  const gpodder = kinds.map((kind, index) => {
    const name = `${kind}-${index}`;
    return kind === 'gpodder' ? createGpodder(name) : createAntennaPod(name);
  });
  const devices = [...nextcloud, ...gpodder];
  const follower = createFollower(
    gpodder.map(({ name }) => name),
    0,
  );
  try {
    for (const each of steps) await take(each, { server, world, devices });
    await settle(world, server, [...devices, follower]);
    everyActionReachesEverybody(world.exchanges, [...devices, follower]);
    nothingIsToldTwice(world.exchanges, follower);
    const ids = await idsByCaption(server);
    const lists = new Map<string, string[]>();
    for (const { name } of devices) lists.set(name, await readList(server, ids.get(name) ?? name));
    for (const { name, library } of devices) {
      expect([...library.subscriptions].toSorted(), `subscriptions on ${name}`).toEqual(lists.get(name));
    }
    for (const { name } of nextcloud) {
      const union = new Set(gpodder.flatMap((each) => lists.get(each.name)!));
      const missing = [...union].filter((feed) => !lists.get(name)!.includes(feed));
      expect(missing, `missing on ${name}`).toEqual([]);
    }
  } finally {
    expect(await server.close()).toEqual([]);
  }
}

interface Stage {
  server: ModelServer;
  world: World;
  devices: readonly Device[];
}

async function take(step: Step, { server, world, devices }: Stage): Promise<void> {
  const device = (number: number): Device => devices[number % devices.length]!;
  const several = (numbers: readonly number[]): Device[] => [...new Set(numbers.map(device))];
  switch (step.kind) {
    case 'turn':
      return world.turn(device(step.who));
    case 'sync':
      return world.finishSync(device(step.who));
    case 'lose':
      return world.turn(device(step.who), { losesAnswer: true });
    case 'together': {
      const first = several(step.first);
      const later = several(step.later).filter((each) => !first.includes(each));
      return world.together(first, step.jump, later, step.ticks);
    }
    case 'rush':
      await Promise.all(several(step.whoever).map((each) => world.finishSync(each)));
      return undefined;
    case 'listen':
      return world.listen(device(step.who), step.count, step.clockError);
    case 'toggle':
      return device(step.who).library.toggle(`http://example.org/feed-${step.feed}`);
    case 'clock':
      server.wall += step.seconds;
      return undefined;
    case 'restart':
      return server.restart();
    default:
      return undefined;
  }
}

/** All sync until everything is uploaded, and once more to receive it. */
async function settle(world: World, server: ModelServer, clients: readonly (Client | Device)[]): Promise<void> {
  const isDone = (client: Client | Device): boolean => !('library' in client) || client.library.isUploaded;
  for (let round = 0; !clients.every(isDone) && round < MOST_ROUNDS; round++) {
    for (const client of clients) await world.finishSync(client);
  }
  expect(clients.filter((client) => !isDone(client))).toEqual([]);
  server.wall = server.now() + 1000;
  for (let round = 0; round < 2; round += 1) {
    for (const client of clients) if (world.isSyncing(client)) await world.finishSync(client);
    for (const client of clients) await world.finishSync(client);
  }
}

const headers = { authorization: `Basic ${Buffer.from('bob:secret').toString('base64')}` };

async function idsByCaption(server: ModelServer): Promise<Map<string, string>> {
  const answer = await server.request(new Request('http://localhost/api/2/devices/bob.json', { headers }));
  const devices = (await answer.json()) as { id: string; caption: string }[];
  return new Map(devices.filter(({ id }) => id.startsWith('app-')).map(({ id, caption }) => [caption, id]));
}

async function readList(server: ModelServer, device: string): Promise<string[]> {
  const answer = await server.request(new Request(`http://localhost${listPath(device)}`, { headers }));
  return answer.status === 404 ? [] : ((await answer.json()) as string[]).toSorted();
}
