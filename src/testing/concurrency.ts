import assert from 'node:assert/strict';
import type { Entry, Key, KeyValueStore, Version } from '../plugin.ts';
import { all, commit, keys, listAll, parse, read, readAll, type Suite, versionOf } from './fixture.ts';

/** More than is ever needed, as in each round one of the writers succeeds. */
const ATTEMPTS = 1000;

/** Adds 1 with a read and a checked commit, retrying until it succeeds. */
async function increment(store: KeyValueStore, key: Key): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const [entry] = await store.get([key]);
    const next = (parse(entry) ?? 0) + 1;
    const check = [[key, entry?.version ?? 0] as const];
    if ((await store.commit({ check, set: [[key, String(next)]] })) !== undefined) return next;
  }
  throw new assert.AssertionError({ message: `a check of ${key} failed each time, though nothing else changed it` });
}

/** Lets other work run: a store that answers from memory would block the event loop. */
const pause = (): Promise<unknown> => new Promise(setImmediate);

/** Repeats a step until other work has finished or failed. */
async function repeatDuring(work: Promise<unknown>, step: () => Promise<void>): Promise<void> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  void work.then(end, end);
  while (!state.isOver) {
    await step();
    await pause();
  }
}

/** Fails unless a read shows all of one commit, or nothing. Each commit sets `count` keys to one value, and no others exist. */
function assertOneCommit(method: 'get' | 'list', read: readonly (Entry | undefined)[], count: number): void {
  const entries = read.filter((entry) => entry !== undefined);
  const commits = new Set(entries.map((entry) => `${entry.version} ${parse(entry)}`));
  assert.ok(
    entries.length === 0 || (entries.length === count && commits.size === 1),
    `${method} returned ${entries.length} entries of ${commits.size} commits, each of which leaves ${count}; ` +
      'a read must show one moment, and a commit as a whole or not at all',
  );
}

const succeeded = (results: readonly (Version | undefined)[]): number =>
  results.filter((version) => version !== undefined).length;

/** Rules for several writers. Each uses the store that `pick` returns for its number. */
function writerTests(test: (title: string, body: (pick: Pick) => Promise<void>) => void): void {
  test('commits without common keys all succeed', async (pick) => {
    const versions = await all(500, (n) =>
      n % 10 === 0
        ? pick(n).commit({ check: [['missing', 1]], set: [[`k/${n}`, String(n)]] }) // must fail alone
        : commit(pick(n), { check: [[`k/${n}`, 0]], set: [[`k/${n}`, String(n)]] }),
    );
    const entries = await pick(1).get(versions.map((_, n) => `k/${n}`));
    assert.deepEqual(
      entries.map((entry) => entry && [parse(entry), entry.version]),
      versions.map((version, n) => (n % 10 === 0 ? undefined : [n, version])),
    );
  });

  test('commits without checks all succeed, and one of them wins each key', async (pick) => {
    const versions = await all(400, (n) =>
      commit(pick(n), { set: ['one', `other/${n % 7}`].map((key) => [key, String(n)]) }),
    );
    const entries = [...(await listAll(pick(1), 'o')), ...(await pick(0).get(['one']))];
    assert.deepEqual(
      entries.map((entry) => entry?.version),
      entries.map((entry) => versions[parse(entry)]),
    );
    assert.equal(entries.length, 9);
  });

  test('of several commits that check the same version, one succeeds', async (pick) => {
    const store = pick(0);
    for (let round = 0; round < 5; round += 1) {
      const version = await versionOf(store, 'a');
      const results = await all(60, (n) =>
        pick(n).commit({
          check: [['a', version]],
          set: [
            ['a', String(n)],
            ['b', String(n)],
          ],
        }),
      );
      const successes = succeeded(results);
      const message = `${successes} commits that check the same version succeeded; a check and the changes must be one step`;
      assert.equal(successes, 1, message);
      const winner = results.findIndex((each) => each !== undefined);
      assert.deepEqual(await readAll(store, ['a', 'b']), [winner, winner]);
      if (round === 3) await store.commit({ delete: ['a'] });
    }
  });

  test('no change is lost if writers read, check and retry', async (pick) => {
    const counts: number[] = [];
    await all(12, async (n) => {
      for (let round = 0; round < 5; round += 1) counts.push(await increment(pick(n), 'count'));
    });
    assert.equal(await read(pick(0), 'count'), 60);
    assert.equal(new Set(counts).size, 60);
  });

  test('a check detects that a commit without one has changed the key', async (pick) => {
    const version = await commit(pick(0), { set: [['a', '1']] });
    await pick(1).commit({ set: [['a', '1']] });
    assert.equal(await pick(0).commit({ check: [['a', version]], set: [['b', '1']] }), undefined);
  });

  test('of two commits that each check what the other changes, at most one succeeds', async (pick) => {
    const absent = await all(60, (n) =>
      Promise.all([
        pick(n).commit({ check: [[`l/${n}`, 0]], set: [[`r/${n}`, '1']] }),
        pick(n + 1).commit({ check: [[`r/${n}`, 0]], set: [[`l/${n}`, '1']] }),
      ]),
    );
    assert.deepEqual(absent.map(succeeded), Array(60).fill(1));

    const version = await commit(pick(0), { set: [...keys('x', 60), ...keys('y', 60)].map((key) => [key, '0']) });
    const [left, right] = [keys('x', 60), keys('y', 60)];
    const present = await all(60, (n) =>
      Promise.all([
        pick(n).commit({ check: [[left[n]!, version]], set: [[right[n]!, '1']] }),
        pick(n + 1).commit({ check: [[right[n]!, version]], delete: [left[n]!] }),
      ]),
    );
    assert.deepEqual(present.map(succeeded), Array(60).fill(1));
  });

  test('batches with the same keys in different orders do not block each other', async (pick) => {
    const many = keys('k/', 40);
    const orders = [many, many.toReversed(), many.toSorted((a, b) => (a.at(-1)! < b.at(-1)! ? -1 : 1))];
    const versions = await all(150, (n) => {
      const order = orders[n % 3]!;
      const length = n % 5 === 0 ? 20 : 40;
      return commit(pick(n), {
        set: order.slice(0, length).map((key) => [key, String(n)]),
        delete: order.slice(length),
      });
    });
    assert.equal(new Set(versions).size, 150);
  });

  test('commits are visible at once, also in other stores', async (pick) => {
    await all(40, async (n) => {
      for (let round = 0; round < 10; round += 1) {
        await commit(pick(n), { set: [[`k/${n}`, String(round)]] });
        assert.equal(await read(pick(n + 1), `k/${n}`), round);
        const listed = await pick(n + 1).list({ from: `k/${n}`, until: `k/${n}!`, limit: 1 });
        assert.deepEqual(listed.map(parse), [round]);
      }
    });
  });

  test('a store that writes nothing sees each commit at once', async (pick) => {
    for (let round = 1; round <= 30; round += 1) {
      const value = round % 3 === 0 ? undefined : round;
      await commit(pick(0), value === undefined ? { delete: ['a'] } : { set: [['a', String(value)]] });
      assert.equal(await read(pick(1), 'a'), value);
      assert.deepEqual((await listAll(pick(1), 'a')).map(parse), value === undefined ? [] : [value]);
    }
  });

  test('a read sees all of a commit or nothing', async (pick) => {
    const many = keys('k/', 30);
    const writing = all(3, async (n) => {
      for (let round = 1; round <= 30; round += 1) {
        const [last, deleted] = round % 2 ? ['l/1', 'l/2'] : ['l/2', 'l/1'];
        const value = String(n * 1000 + round);
        await commit(pick(n), { set: [...many, last!].map((key) => [key, value]), delete: [deleted!] });
        await pause();
      }
    });
    const reading = all(4, (n) =>
      repeatDuring(writing, async () => {
        const range = { from: many[0]!, until: 'l0', limit: 100 };
        const [got, listed] = await Promise.all([pick(n).get([...many, 'l/1', 'l/2']), pick(n).list(range)]);
        assertOneCommit('get', got, many.length + 1);
        assertOneCommit('list', listed, many.length + 1);
      }),
    );
    await Promise.all([writing, reading]);
  });

  test('a commit of many keys is seen whole, and others succeed meanwhile', async (pick) => {
    const many = keys('k/', 5000);
    const writing = all(2, async (n) => {
      for (let round = 1; round <= 3; round += 1) {
        await commit(pick(n), { set: many.map((key) => [`${n}${key}`, String(round)]) });
      }
    });
    const written = many.map((key) => `0${key}`);
    const reading = repeatDuring(writing, async () => {
      const [got, listed] = await Promise.all([pick(1).get(written), listAll(pick(1), '0k/')]);
      assertOneCommit('get', got, many.length);
      assertOneCommit('list', listed, many.length);
    });
    let count = 0;
    const counting = repeatDuring(writing, async () => {
      count = await increment(pick(0), 'count');
      await pause();
    });
    await Promise.all([writing, reading, counting]);
    assert.equal(await read(pick(1), 'count'), count);
  });

  test('a reader never goes back in time', async (pick) => {
    const write = async (): Promise<void> => {
      for (let round = 1; round <= 200; round += 1) {
        await commit(pick(0), { set: ['a', 'b'].map((key) => [key, String(round)]) });
      }
    };
    const writing = write();
    const reading = all(4, (n) => {
      let last = 0;
      return repeatDuring(writing, async () => {
        const [entry] = n % 2 ? await pick(n).get(['a']) : await pick(n).list({ from: 'b', until: 'c', limit: 1 });
        const next = parse(entry) ?? 0;
        assert.ok(next >= last, `${next} after ${last}`);
        last = next;
      });
    });
    await Promise.all([writing, reading]);
  });
}
type Pick = (n: number) => KeyValueStore;

export const concurrencyTests: Suite = ({ test, testShared }) => {
  writerTests((title, body) => test(title, ({ store }) => body(() => store)));
  writerTests((title, body) =>
    testShared(`${title} (two stores on one backend)`, (one, other) => body((n) => (n % 2 ? other : one))),
  );
};
