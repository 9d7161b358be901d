import { expect, it, onTestFinished, vi } from 'vitest';
import type { EpisodeAction, UserId } from '../../src/domain/types.ts';
import { createActionCache } from '../../src/services/listening/action-cache.ts';
import { openTestServer } from '../server.ts';

const action = (number: number): EpisodeAction => ({
  podcast: 'http://feeds.example/a',
  episode: `http://media.example/${number}.mp3`,
  action: 'new',
  timestamp: 1_600_000_000 + number,
});
const actions = (count: number, first = 0): EpisodeAction[] =>
  Array.from({ length: count }, (_, n) => action(first + n));

async function openTwo() {
  const { storage } = await openTestServer();
  const ids: UserId[] = [];
  for (const name of ['bob', 'eve']) ids.push((await storage.users.find(name))!.id);
  return { store: storage.actions, bob: ids[0]!, eve: ids[1]! };
}

it('reads an evicted history again', async () => {
  const { store, bob, eve } = await openTwo();
  const actionCache = createActionCache(store, 1);
  await store.append(bob, actions(3));
  await store.append(eve, actions(2));
  for (const more of [0, 1]) {
    expect((await actionCache.read(bob)).length).toBe(3 + more);
    expect((await actionCache.read(eve)).length).toBe(2);
    await store.append(bob, [action(100)]);
  }
});

it('keeps the most recent history, however large it is', async () => {
  const { store, bob } = await openTwo();
  const query = vi.spyOn(store, 'query');
  onTestFinished(() => query.mockRestore());
  const actionCache = createActionCache(store, 1);
  await store.append(bob, actions(3));
  for (let time = 0; time < 2; time += 1) await actionCache.read(bob);
  expect(query.mock.calls.map(([, { since }]) => since === 0)).toEqual([true, false]);
});

it('a history that takes long holds up no other account', async () => {
  const { store, bob, eve } = await openTwo();
  await store.append(eve, actions(2));
  const never = new Promise<never>(() => undefined);
  const actionCache = createActionCache({
    query: (user, query) => (user === bob ? never : store.query(user, query)),
  });
  void actionCache.read(bob);
  expect((await actionCache.read(eve)).length).toBe(2);
});

it('reads only new actions, each once, for many simultaneous calls', async () => {
  const { store, bob } = await openTwo();
  const asked: (number | undefined)[] = [];
  const actionCache = createActionCache({
    query: (user, query) => {
      asked.push(query.since);
      return store.query(user, query);
    },
  });
  await store.append(bob, actions(1500));
  const tables = await Promise.all([actionCache.read(bob), actionCache.read(bob), actionCache.read(bob)]);
  expect(tables.map(({ length }) => length)).toEqual([1500, 1500, 1500]);
  await store.append(bob, actions(2, 1500));
  expect((await actionCache.read(bob)).length).toBe(1502);
  expect(asked[0]).toBe(0);
  expect(asked.slice(1)).not.toContain(0);
});

it('reads a history again if it could not be read to its end', async () => {
  const { store, bob } = await openTwo();
  let failures = 1;
  const actionCache = createActionCache({
    async query(user, query) {
      const { pages, mark } = await store.query(user, query);
      return { pages: failures-- > 0 ? cutShort(pages) : pages, mark };
    },
  });
  await store.append(bob, actions(2500));
  await expect(actionCache.read(bob)).rejects.toThrow('away');
  expect((await actionCache.read(bob)).length).toBe(2500);
});

async function* cutShort(pages: AsyncIterable<EpisodeAction[]>): AsyncGenerator<EpisodeAction[]> {
  for await (const page of pages) {
    yield page;
    throw new Error('away');
  }
}

it('has each action once after the storage failed in the middle of a history', async () => {
  const { store, bob } = await openTwo();
  let isFailing = false;
  const actionCache = createActionCache({
    async query(user, query) {
      const { pages, mark } = await store.query(user, query);
      const failing = async function* () {
        yield* pages;
        if (isFailing) throw new Error('the storage failed');
      };
      return { pages: failing(), mark };
    },
  });
  await store.append(bob, actions(2));
  await actionCache.read(bob);
  await store.append(bob, actions(1, 2));
  isFailing = true;
  await expect(actionCache.read(bob)).rejects.toThrow('the storage failed');
  isFailing = false;
  expect((await actionCache.read(bob)).length).toBe(3);
});
