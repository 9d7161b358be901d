import fc from 'fast-check';
import { LARGEST_JUMP } from './world.ts';

/** Devices are told by number; numbers go round. */
export type Step =
  | { kind: 'turn' | 'sync' | 'lose' | 'replace'; who: number }
  | { kind: 'together'; first: number[]; jump: number; later: number[]; ticks: number }
  | { kind: 'rush'; whoever: number[] }
  | { kind: 'listen'; who: number; count: number; clockError: number }
  | { kind: 'toggle'; who: number; feed: number }
  | { kind: 'clock'; seconds: number }
  | { kind: 'link' | 'restart' | 'play' };

export const APPS = ['antennapod', 'gpodder', 'kasts'] as const;

export interface Scenario {
  fleet: (typeof APPS)[number][];
  steps: Step[];
}

const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const who = fc.nat(6);
const group = fc.uniqueArray(who, { maxLength: 4 });
/** Mostly bursts within one second; now and then a while, and a wall clock that is put back. */
const seconds = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 2, arbitrary: fc.integer({ min: 4, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 61, max: 1000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -200, max: -1 }) },
);
const count = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(31, 65, 120) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: record({ kind: fc.constant('turn'), who }) },
  { weight: 3, arbitrary: record({ kind: fc.constant('sync'), who }) },
  { weight: 1, arbitrary: record({ kind: fc.constant('lose'), who }) },
  { weight: 1, arbitrary: record({ kind: fc.constant('replace'), who }) },
  {
    weight: 8,
    arbitrary: record({
      kind: fc.constant('together'),
      first: group,
      jump: fc.nat(LARGEST_JUMP - 1),
      later: group,
      ticks: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: record({ kind: fc.constant('rush'), whoever: group }) },
  {
    weight: 6,
    arbitrary: record({ kind: fc.constant('listen'), who, count, clockError: fc.integer({ min: -9999, max: 9999 }) }),
  },
  { weight: 4, arbitrary: record({ kind: fc.constant('toggle'), who, feed: fc.nat(4) }) },
  { weight: 4, arbitrary: record({ kind: fc.constant('clock'), seconds }) },
  { weight: 1, arbitrary: record({ kind: fc.constantFrom('restart', 'link') }) },
  { weight: 3, arbitrary: record({ kind: fc.constant('play') }) },
);

export const scenario: fc.Arbitrary<Scenario> = record({
  fleet: fc.array(fc.constantFrom(...APPS), { minLength: 2, maxLength: 5 }),
  steps: fc.array(step, { maxLength: 200, size: 'max' }),
});
