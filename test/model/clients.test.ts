import { expect } from 'vitest';
import { STORAGE } from '../storages.ts';
import { createAntennaPod } from './antennapod.ts';
import type { Device } from './client.ts';
import { createFollower } from './follower.ts';
import { createGpodder } from './gpodder.ts';
import {
  expectAllActionsReceived,
  expectNoRepeats,
  expectNothingFromBeforeMark,
  expectRisingMarks,
} from './guarantees.ts';
import { createKasts } from './kasts.ts';
import { perform, readList, type Stage, syncAll, testScenarios, uploadAll } from './play.ts';
import { type Scenario, scenario } from './scenario.ts';
import { type ModelServer, openModelServer } from './server.ts';
import { World } from './world.ts';

testScenarios(
  'devices that sync in any order lose nothing and receive nothing twice',
  scenario,
  STORAGE === 'json' ? 200 : 60,
  play,
);

async function play({ apps, steps }: Scenario): Promise<void> {
  const server = await openModelServer();
  const world = new World(server);
  const devices = apps.map((app, index) => createDevice(app, `${app}-${index}`, server));
  const names = devices.map(({ name }) => name);
  const followers = [createFollower(names, 0), createFollower(names, 1)];
  const clients = [...devices, ...followers];
  try {
    for (const step of steps) await perform(step, { server, world, devices, clients });
    await settle({ server, world, devices, clients });

    const { exchanges } = world;
    expectAllActionsReceived(exchanges, clients);
    // These use marks unchanged; the others use the mark of an upload, which may be lower than what they pulled.
    const gpodders = devices.filter(({ name }) => name.startsWith('gpodder'));
    for (const client of [...gpodders, ...followers]) expectNoRepeats(exchanges, client);
    expectNothingFromBeforeMark(exchanges);
    expectRisingMarks(exchanges);
    for (const { name, library } of devices) {
      const list = await readList(server, name);
      for (const { lists } of followers) {
        expect([...lists.get(name)!].toSorted(), `replayed changes of ${name}`).toEqual(list);
      }
      expect([...library.subscriptions].toSorted(), `subscriptions on ${name}`).toEqual(list);
    }
  } finally {
    expect(await server.close()).toEqual([]);
  }
}

function createDevice(app: Scenario['apps'][number], name: string, server: ModelServer): Device {
  switch (app) {
    case 'antennapod':
      return createAntennaPod(name);
    case 'gpodder':
      return createGpodder(name);
    case 'kasts':
      return createKasts(name, () => server.wall);
  }
}

/** All clients upload everything and receive it. From then on the mark stays the same. */
async function settle({ server, world, clients }: Stage): Promise<void> {
  await uploadAll(world, clients);
  await syncAll(world, clients);

  server.wall = server.now() + 10_000;
  const last = world.exchanges.length;
  for (const client of clients) await world.finishSync(client);
  const marks = world.exchanges.slice(last).flatMap(({ answer }) => answer?.timestamp ?? []);
  expect(new Set(marks).size, `marks of an idle account: ${marks}`).toBe(1);
}
