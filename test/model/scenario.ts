import fc from 'fast-check';
import { EPISODE_FORMS, type EpisodeForm } from './client.ts';
import { LARGEST_JUMP } from './world.ts';

/** Clients are named by number, modulo how many there are. */
export type Step =
  | { kind: 'request' | 'sync' | 'lose-response' | 'replace-list'; client: number }
  | { kind: 'concurrent-requests'; first: number[]; jump: number; later: number[]; ticks: number }
  | { kind: 'concurrent-syncs'; clients: number[] }
  | { kind: 'listen'; client: number; count: number; clockError: number }
  | { kind: 'toggle-feed'; client: number; feed: number }
  | { kind: 'clock'; seconds: number }
  | { kind: 'browse'; form: EpisodeForm }
  | { kind: 'link-devices' | 'restart' };

export const APPS = ['antennapod', 'gpodder', 'kasts'] as const;

export interface Scenario {
  apps: (typeof APPS)[number][];
  steps: Step[];
}

const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

const client = fc.nat(6);
const clients = fc.uniqueArray(client, { maxLength: 4 });
/** Mostly a few seconds; sometimes a long time, or a wall clock that is set back. */
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
  { weight: 12, arbitrary: record({ kind: fc.constant('request'), client }) },
  { weight: 3, arbitrary: record({ kind: fc.constant('sync'), client }) },
  { weight: 1, arbitrary: record({ kind: fc.constant('lose-response'), client }) },
  { weight: 1, arbitrary: record({ kind: fc.constant('replace-list'), client }) },
  {
    weight: 8,
    arbitrary: record({
      kind: fc.constant('concurrent-requests'),
      first: clients,
      jump: fc.nat(LARGEST_JUMP - 1),
      later: clients,
      ticks: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: record({ kind: fc.constant('concurrent-syncs'), clients }) },
  {
    weight: 6,
    arbitrary: record({
      kind: fc.constant('listen'),
      client,
      count,
      clockError: fc.integer({ min: -9999, max: 9999 }),
    }),
  },
  { weight: 4, arbitrary: record({ kind: fc.constant('toggle-feed'), client, feed: fc.nat(4) }) },
  { weight: 4, arbitrary: record({ kind: fc.constant('clock'), seconds }) },
  { weight: 1, arbitrary: record({ kind: fc.constantFrom('restart', 'link-devices') }) },
  { weight: 3, arbitrary: record({ kind: fc.constant('browse'), form: fc.constantFrom(...EPISODE_FORMS) }) },
);

export const scenario: fc.Arbitrary<Scenario> = record({
  apps: fc.array(fc.constantFrom(...APPS), { minLength: 2, maxLength: 5 }),
  steps: fc.array(step, { maxLength: 200, size: 'max' }),
});
