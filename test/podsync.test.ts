import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPodsync } from '../src/podsync.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'podsync-open-'));
});
afterEach(() => rm(data, { recursive: true }));

it('lets go of the data folder when it cannot be opened as it was asked for', async () => {
  const options = { data, fetch: false, log: () => undefined };
  await expect(openPodsync({ ...options, baseUrl: 'podcasts.example' })).rejects.toThrow('Invalid URL');
  const podsync = await openPodsync(options);
  await podsync.close();
});
