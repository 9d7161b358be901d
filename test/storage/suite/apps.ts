import assert from 'node:assert/strict';
import { OVERLAP, type Suite } from './bench.ts';
import { openActions } from './channels.ts';
import { addUser } from './samples.ts';

const DEVICES = ['phone', 'tv', 'car'];
const ROUNDS = 60;
const SEEDS = [1, 2, 3];

/** Numbers from 0 to below 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/**
 * Concurrent apps pull, wait, push, and keep only the mark of the push (like AntennaPod), or that plus one (like
 * Kasts). In any order, each must receive all changes of the others.
 */
export const appTests: Suite = ({ test }) => {
  for (const seed of SEEDS) {
    test(`three apps that sync in any order miss nothing (seed ${seed})`, async ({ storage, clock }) => {
      const random = createRandom(seed);
      const alice = await addUser(storage);
      const uploaded: number[] = [];
      const apps = DEVICES.map((device, i) => {
        const channel = openActions(storage, alice, device);
        const heard = new Set<number>();
        const surplus = i % 2;
        let since = 0;
        return {
          device,
          heard,
          async pull() {
            const { numbers, mark } = await channel.pull(since);
            for (const number of numbers) heard.add(number);
            since = mark + surplus;
          },
          async push() {
            const number = uploaded.length;
            uploaded.push(number);
            heard.add(number);
            since = (await channel.push(number)) + surplus;
          },
        };
      });

      for (let round = 0; round < ROUNDS; round += 1) {
        // Each app appears twice: first it pulls, then it pushes or does nothing.
        const order = [...apps, ...apps].map((app) => ({ app, place: random() })).toSorted((a, b) => a.place - b.place);
        const pulled = new Set<unknown>();
        for (const { app } of order) {
          if (!pulled.has(app)) await app.pull();
          else if (random() < 0.7) await app.push();
          pulled.add(app);
          if (random() < 0.5) clock.at += Math.floor((random() * OVERLAP) / order.length);
        }
      }
      for (const { device, heard, pull } of apps) {
        await pull();
        assert.deepEqual(
          [...heard].toSorted((a, b) => a - b),
          uploaded,
          `the ${device} missed something`,
        );
      }
    });
  }
};
