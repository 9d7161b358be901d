import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { storageConformance } from 'podsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import plugin from './redis-storage.js';

/** A separate Redis on a free port of this machine. */
async function startRedis(...options) {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  await new Promise((resolve) => listener.close(resolve));

  const dir = await mkdtemp(join(tmpdir(), 'podsync-redis-'));
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', dir, '--save', '', ...options].map(String);
  const redis = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(redis, 'spawn');
  for await (const line of createInterface(redis.stdout)) if (line.includes('Ready to accept connections')) break;
  redis.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    async stop() {
      redis.kill('SIGKILL');
      await once(redis, 'exit');
      await rm(dir, { recursive: true });
    },
  };
}

let redis;
beforeAll(async () => {
  redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
});
afterAll(() => redis.stop());

let count = 0;
storageConformance(
  'redis',
  async () => {
    const options = plugin.parse(`${redis.url}?prefix=test-${(count += 1)}`);
    return { open: (context) => plugin.open(options, context), destroy: async () => {} };
  },
  { describe, it, beforeEach, afterEach },
);

it.each([
  ['when it crashes', ['--appendonly', 'no'], /must run with "appendonly yes"/],
  [
    'when its memory is full',
    ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'allkeys-lru'],
    /must run with "maxmemory-policy noeviction"/,
  ],
])('refuses a Redis that may lose acknowledged changes %s', async (_when, options, message) => {
  const unsafe = await startRedis(...options);
  const opening = plugin.open(plugin.parse(unsafe.url), { dataDir: '', log: () => undefined });
  await expect(opening).rejects.toMatchObject({ code: 'unavailable', message: expect.stringMatching(message) });
  await unsafe.stop();
});

it('rejects with `unavailable` while Redis is stopped, without the password in the message', async () => {
  const stopped = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
  const store = await plugin.open(plugin.parse(stopped.url), { dataDir: '', log: () => undefined });
  await store.commit({ set: [['a', '1']] });
  await stopped.stop();
  await expect(store.commit({ set: [['a', '2']] })).rejects.toMatchObject({ code: 'unavailable' });
  await store.close();
  const withPassword = plugin.parse(stopped.url.replace('://', '://user:hunter2@'));
  const opening = plugin.open(withPassword, { dataDir: '', log: () => undefined });
  await expect(opening).rejects.toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('hunter2') });
});
