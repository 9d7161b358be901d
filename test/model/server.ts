import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createClock } from '../../src/clock.ts';
import type { Seconds } from '../../src/domain/types.ts';
import { openPodsync, type Podsync, type PodsyncOptions } from '../../src/podsync.ts';
import { createRandom, seed } from '../seed.ts';
import { quickHasher } from '../server.ts';
import { createTestStorage, STORAGE } from '../storages.ts';

/** How long an upload of another device counts as overlapping. */
export const OVERLAP: Seconds = 120;
const STARTED_AT: Seconds = 1_700_000_000;

const authorization = `Basic ${Buffer.from('bob:secret').toString('base64')}`;

/** Servers on one storage; each request goes to a random one. */
const NODES = STORAGE === 'postgres' ? 2 : 1;

/** podsync, on several nodes if the storage allows it, with the account `bob` and a wall clock that tests may set. */
export interface ModelServer {
  /** The wall clock, seconds. It may go back; the time of the server does not. */
  wall: Seconds;
  now(): Seconds;
  request(request: Request): Promise<Response>;
  /** GET as bob. */
  get(path: string): Promise<Response>;
  /** Of bob. */
  createAppPassword(label: string): Promise<string>;
  /** Closes and reopens all nodes, with a clock that knows only what the last one reserved. */
  restart(): Promise<void>;
  /** Returns the errors that were logged. */
  close(): Promise<string[]>;
}

export async function openModelServer(): Promise<ModelServer> {
  const data = await mkdtemp(join(tmpdir(), 'podsync-model-')); // not `makeFolder`: these tests run concurrently
  const storage = await createTestStorage();
  const errors: string[] = [];
  const options: PodsyncOptions = {
    data,
    storage: storage.spec,
    syncOverlap: OVERLAP,
    fetch: false,
    log: (level, message) => void (level === 'error' && errors.push(message)),
  };
  let floor: Seconds = 0;
  let now: Clock;
  let nodes: Podsync[];
  const open = async (): Promise<void> => {
    now = createClock({ wall: () => server.wall * 1000, floor, reserve: (until) => (floor = until) });
    nodes = await Promise.all(Array.from({ length: NODES }, () => openPodsync(options, { now, hasher: quickHasher })));
  };
  const close = async (): Promise<void> => {
    for (const node of nodes) await node.close();
  };
  const random = createRandom(seed);
  const anyNode = (): Podsync => nodes[random(NODES)]!;

  const server: ModelServer = {
    wall: STARTED_AT,
    now: () => now(),
    request: async (request) => anyNode().publicApp.request(request),
    get: (path) => server.request(new Request(`http://localhost${path}`, { headers: { authorization } })),
    async createAppPassword(label) {
      const { administration, appPasswords } = anyNode().services;
      return appPasswords.create((await administration.find('bob')).id, label);
    },
    async restart() {
      await close();
      await open();
    },
    async close() {
      await close();
      await storage.destroy();
      await rm(data, { recursive: true });
      return errors;
    },
  };
  await open();
  await anyNode().services.accounts.create({ name: 'bob', password: 'secret' });
  return server;
}
