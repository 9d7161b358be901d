import fc from 'fast-check';
import { expect } from 'vitest';
import { STORAGE } from '../storages.ts';
import { createAntennaPod } from './antennapod.ts';
import type { Device } from './client.ts';
import { createFollower } from './follower.ts';
import { createGpodder } from './gpodder.ts';
import { expectAllActionsReceived, expectNoRepeats } from './guarantees.ts';
import { createNextcloudApp, type NextSince } from './nextcloud-app.ts';
import { perform, readList, type Stage, syncAll, testScenarios, uploadAll } from './play.ts';
import { type Step, step } from './scenario.ts';
import { type ModelServer, openModelServer } from './server.ts';
import { World } from './world.ts';

/* Apps of both dialects on one account: those of the Nextcloud dialect have clocks that are fast, slow or right. */

const NEXT_SINCE: readonly NextSince[] = ['clock after upload', 'clock at start', 'clock at end', 'mark plus one'];

interface Scenario {
  apps: { nextSince: NextSince; clockError: number }[];
  devices: ('antennapod' | 'gpodder')[];
  steps: Step[];
}

const clockError = fc.oneof(fc.constantFrom(0, -1, 1, 86_400, -86_400), fc.integer({ min: -600, max: 600 }));
const scenario: fc.Arbitrary<Scenario> = fc.record({
  apps: fc.array(fc.record({ nextSince: fc.constantFrom(...NEXT_SINCE), clockError }), { minLength: 1, maxLength: 3 }),
  devices: fc.array(fc.constantFrom('antennapod', 'gpodder'), { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { maxLength: 150, size: 'max' }),
});
const OMITTED: ReadonlySet<Step['kind']> = new Set(['replace-list', 'link-devices']);

testScenarios(
  'apps of both dialects lose nothing, whatever their clocks',
  scenario,
  STORAGE === 'json' ? 90 : 30,
  play,
);

async function play({ apps, devices: kinds, steps }: Scenario): Promise<void> {
  const server = await openModelServer();
  const world = new World(server);
  const create = async ({ nextSince, clockError }: Scenario['apps'][number], index: number): Promise<Device> => {
    const name = `app ${index}`;
    const password = await server.createAppPassword(name);
    return createNextcloudApp({ name, password, nextSince, clock: () => server.wall + clockError });
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
  const clients = [...devices, follower];
  try {
    for (const each of steps.filter(({ kind }) => !OMITTED.has(kind))) {
      await perform(each, { server, world, devices, clients: devices });
    }
    await settle({ server, world, devices, clients });
    expectAllActionsReceived(world.exchanges, clients);
    expectNoRepeats(world.exchanges, follower);
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

/** All clients upload everything and receive it. */
async function settle({ server, world, clients }: Stage): Promise<void> {
  await uploadAll(world, clients);
  server.wall = server.now() + 1000;
  for (let round = 0; round < 2; round += 1) await syncAll(world, clients);
}

async function idsByCaption(server: ModelServer): Promise<Map<string, string>> {
  const answer = await server.get('/api/2/devices/bob.json');
  const devices = (await answer.json()) as { id: string; caption: string }[];
  return new Map(devices.filter(({ id }) => id.startsWith('app-')).map(({ id, caption }) => [caption, id]));
}
