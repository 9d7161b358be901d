import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';

vi.mock(import('../../../plugins/json/limits.ts'), async (original) => ({ ...(await original()), MAX_LOG_SIZE: 1000 }));

/** No file is replaced before `ready`. */
const disk = vi.hoisted(() => ({ ready: Promise.resolve(), isAsked: false }));
vi.mock(import('../../../plugins/json/durable-files.ts'), async (original) => {
  const files = await original();
  return {
    ...files,
    replaceFile: async (path, bytes) => {
      disk.isAsked = true;
      await disk.ready;
      await files.replaceFile(path, bytes);
    },
  };
});

let dataDir: string;
let store: KeyValueStore;
let release: () => void;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-json-'));
  store = await json.open(json.parse(''), { dataDir, log: () => undefined });
  disk.isAsked = false;
  disk.ready = new Promise((resolve) => {
    release = resolve;
  });
});
afterEach(async () => {
  release();
  await store.close();
  await rm(dataDir, { recursive: true });
});

const set = (key: string, length = 1) => store.commit({ set: [[key, JSON.stringify('x'.repeat(length))]] });

it('commits are stored while a checkpoint is running', async () => {
  await set('a', 2000);
  await set('b');
  await vi.waitUntil(() => disk.isAsked, 20_000);
  await set('c');
  expect((await store.get(['a', 'b', 'c'])).map((entry) => entry?.value.length)).toEqual([2002, 3, 3]);
});

it('commits wait for a checkpoint that is behind', async () => {
  await set('a', 2000);
  await vi.waitUntil(() => disk.isAsked, 20_000);
  await set('b', 2000);
  const events: string[] = [];
  const waiting = set('c').then(() => events.push('stored'));
  await store.get(['a']);
  events.push('released');
  release();
  await waiting;
  expect(events).toEqual(['released', 'stored']);
});
