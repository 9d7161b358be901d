import { expect, it } from 'vitest';
import type { Url } from '../../../src/domain/types.ts';
import { createRandom, seed } from '../../seed.ts';
import { MemoryDatabase } from '../memory-store.ts';
import { START } from '../suite/bench.ts';
import { openNode } from './node.ts';

const random = createRandom(seed);
const createUrl = (_: unknown, n: number): Url => `https://${'abcdefgh'[random(8)]}.example/${n}`;

it('the feeds that have been due longest are claimed first, up to the limits in all and per host', async () => {
  for (let round = 0; round < 100; round += 1) {
    const node = await openNode(new MemoryDatabase(), false);
    const urls = Array.from({ length: 1 + random(60) }, createUrl);
    const due = urls.map((url) => ({ url, intervalSeconds: 0, failures: 0, nextAt: START - random(20) }));
    await node.change('alice', { subscribed: urls });
    for (const state of due) await node.podcasts.record(state.url, { state });
    const active = Array.from({ length: random(6) }, createUrl);
    const [limit, perHost] = [random(20), 1 + random(4)];

    const counts = new Map<string, number>();
    const count = (url: Url): number => counts.set(url[8]!, (counts.get(url[8]!) ?? 0) + 1).get(url[8]!)!;
    active.forEach(count);
    const inOrder = due.toSorted((a, b) => a.nextAt - b.nextAt || (a.url < b.url ? -1 : 1));
    const expected = inOrder.filter(({ url }) => count(url) <= perHost).slice(0, limit);
    expect(await node.podcasts.claimDue(limit, 60, { perHost, active })).toEqual(expected);
  }
});
