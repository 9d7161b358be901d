import { LRUCache } from 'lru-cache';
import { expect, it } from 'vitest';
import { atMost } from '../src/lru.ts';

it('a full cache drops the entry that was used least recently', () => {
  const cache = new LRUCache<string, number>(atMost(2));
  cache.set('a', 1).set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect(Object.fromEntries(cache.entries())).toEqual({ a: 1, c: 3 });
});

it('an empty cache takes no memory for the entries that it may have', () => {
  const used = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const cache = new LRUCache<string, number>(atMost(10_000_000));
  expect(used() - before).toBeLessThan(10_000_000); // bytes
  expect(cache.size).toBe(0);
});
