import { expect, it, vi } from 'vitest';
import { createSessions } from '../../src/services/accounts/sessions.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { Session, SessionStore, User } from '../../src/storage/stores.ts';
import { collectGarbage } from '../garbage.ts';

const bob = { id: 'bob', name: 'bob', passwordHash: 'hash', createdAt: 0 } as unknown as User;

function createStore(): SessionStore {
  const sessions = new Map<string, Session>();
  return {
    save: async (session) => void sessions.set(session.digest, session),
    find: async (digest) => {
      const session = sessions.get(digest);
      return session && { session, user: bob };
    },
    delete: async (digest) => void sessions.delete(digest),
    update: async () => true,
    all: async () => [],
    endAll: async () => 0,
    count: async () => 0,
    deleteExpired: async () => 0,
  };
}

it('clients with long names take no more memory than others', async () => {
  const sessions = createSessions(createStore(), { get: async () => ({}) }, () => 1_700_000_000);
  const open = (client: number): Promise<string> =>
    sessions.open(bob, { address: '', app: Buffer.alloc(10_000, `client ${client} `).toString() });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const tokens: string[] = [];
  for (let client = 0; client < 2000; client++) tokens.push(await open(client));
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  expect(await open(0)).toBe(tokens[0]);
  expect(await open(1999)).toBe(tokens[1999]);
});

it('a client whose session could not be stored gets one the next time', async () => {
  const store = createStore();
  const sessions = createSessions(store, { get: async () => ({}) }, () => 1_700_000_000);
  const client = { address: '192.0.2.1', app: 'AntennaPod' };
  vi.spyOn(store, 'save').mockRejectedValueOnce(new StorageError('full', 'the disk is full'));
  await expect(sessions.open(bob, client)).rejects.toThrow('full');
  const token = await sessions.open(bob, client);
  expect(await sessions.find(token)).toMatchObject({ user: bob });
});
