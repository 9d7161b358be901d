import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../seed.ts';
import { STORAGE } from '../storages.ts';
import { createAntennaPod } from './antennapod.ts';
import { type Client, type Device, listPath } from './client.ts';
import { createFollower, type Follower } from './follower.ts';
import { createGpodder } from './gpodder.ts';
import { createKasts } from './kasts.ts';
import {
  everyActionReachesEverybody,
  marksRise,
  nothingIsToldFromBeforeTheMark,
  nothingIsToldTwice,
} from './promises.ts';
import { type Scenario, scenario, type Step } from './scenario.ts';
import { type ModelServer, openModelServer } from './server.ts';
import { World } from './world.ts';

/** Several strands, as most of the time is spent waiting for the disk. */
const STRANDS = 3;
const RUNS = STORAGE === 'json' ? 200 : 60;
/** Enough for everybody to push, and to hear of it. */
const MOST_ROUNDS = 10;

it.concurrent.each(Array.from({ length: STRANDS }, (_, strand) => seed + strand))(
  'several devices that sync as they please lose nothing and hear nothing twice (seed %i)',
  (seed) =>
    fc.assert(fc.asyncProperty(scenario, play), {
      seed,
      numRuns: Math.ceil(RUNS / STRANDS),
      interruptAfterTimeLimit: 60_000, // of shrinking, in the main
    }),
  120_000,
);

async function play({ fleet, steps }: Scenario): Promise<void> {
  const server = await openModelServer();
  const world = new World(server);
  const devices = fleet.map((app, index) => createDevice(app, `${app}-${index}`, server));
  const names = devices.map(({ name }) => name);
  const followers = [createFollower(names, 0), createFollower(names, 1)];
  try {
    for (const step of steps) await take(step, { server, world, devices, followers });
    await settle(world, server, [...devices, ...followers]);

    const { exchanges } = world;
    everyActionReachesEverybody(exchanges, [...devices, ...followers]);
    // These use marks as given; the others ask at the mark of an upload, which may lie before what they pulled.
    const gpodders = devices.filter(({ name }) => name.startsWith('gpodder'));
    for (const client of [...gpodders, ...followers]) nothingIsToldTwice(exchanges, client);
    nothingIsToldFromBeforeTheMark(exchanges);
    marksRise(exchanges);
    for (const { name, library } of devices) {
      const list = await readList(server, name);
      for (const { lists } of followers) {
        expect([...lists.get(name)!].toSorted(), `changes of ${name}, replayed`).toEqual(list);
      }
      expect([...library.subscriptions].toSorted(), `subscriptions on ${name}`).toEqual(list);
    }
  } finally {
    expect(await server.close()).toEqual([]);
  }
}

function createDevice(app: Scenario['fleet'][number], name: string, server: ModelServer): Device {
  switch (app) {
    case 'antennapod':
      return createAntennaPod(name);
    case 'gpodder':
      return createGpodder(name);
    case 'kasts':
      return createKasts(name, () => server.wall);
  }
}

interface Stage {
  server: ModelServer;
  world: World;
  devices: Device[];
  followers: Follower[];
}

async function take(step: Step, { server, world, devices, followers }: Stage): Promise<void> {
  const device = (number: number): Device => devices[number % devices.length]!;
  const everybody: Client[] = [...devices, ...followers];
  const client = (number: number): Client => everybody[number % everybody.length]!;
  const clients = (numbers: readonly number[]): Client[] => [...new Set(numbers.map(client))];
  switch (step.kind) {
    case 'turn':
      return world.turn(client(step.who));
    case 'sync':
      return world.finishSync(client(step.who));
    case 'lose':
      return world.turn(client(step.who), { losesAnswer: true });
    case 'replace':
      return world.replaceList(device(step.who));
    case 'together': {
      const first = clients(step.first);
      const later = clients(step.later).filter((each) => !first.includes(each));
      return world.together(first, step.jump, later, step.ticks);
    }
    case 'rush':
      await Promise.all(clients(step.whoever).map((each) => world.finishSync(each)));
      return undefined;
    case 'listen':
      return world.listen(device(step.who), step.count, step.clockError);
    case 'toggle':
      return device(step.who).library.toggle(`http://example.org/feed-${step.feed}`);
    case 'clock':
      server.wall += step.seconds;
      return undefined;
    case 'link':
      return world.linkDevices();
    case 'play':
      return world.playInBrowser();
    case 'restart':
      return server.restart();
  }
}

const isDone = (client: Client | Device): boolean => !('library' in client) || client.library.isUploaded;

/** All clients sync until everything is uploaded, and once more to receive it. From then on the mark stays the same. */
async function settle(world: World, server: ModelServer, clients: readonly (Client | Device)[]): Promise<void> {
  for (let round = 0; !clients.every(isDone) && round < MOST_ROUNDS; round++) {
    for (const client of clients) await world.finishSync(client);
  }
  expect(clients.filter((client) => !isDone(client))).toEqual([]);
  for (const client of clients) if (world.isSyncing(client)) await world.finishSync(client);
  for (const client of clients) await world.finishSync(client);

  server.wall = server.now() + 10_000;
  const last = world.exchanges.length;
  for (const client of clients) await world.finishSync(client);
  const marks = world.exchanges.slice(last).flatMap(({ answer }) => answer?.timestamp ?? []);
  expect(new Set(marks).size, `marks of an idle account: ${marks}`).toBe(1);
}

async function readList(server: ModelServer, device: string): Promise<string[]> {
  const headers = { authorization: `Basic ${Buffer.from('bob:secret').toString('base64')}` };
  const response = await server.request(new Request(`http://localhost${listPath(device)}`, { headers }));
  if (response.status === 404) return [];
  return ((await response.json()) as string[]).toSorted();
}
