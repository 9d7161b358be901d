import assert from 'node:assert/strict';
import type { Batch } from '../plugin.ts';
import { commit, read, readAll, type Suite, usedBefore, versionOf } from './fixture.ts';

export const commitTests: Suite = ({ test }) => {
  test('a batch sets and deletes at once, all with one version', async ({ store }) => {
    await store.commit({
      set: [
        ['a', '1'],
        ['b', '1'],
        ['c', '1'],
      ],
    });
    const version = await commit(store, {
      set: [
        ['a', '2'],
        ['d', '2'],
      ],
      delete: ['b', 'missing'],
    });
    const entries = await store.get(['a', 'b', 'c', 'd']);
    assert.deepEqual(
      entries.map((entry) => entry && [entry.value, entry.version === version]),
      [['2', true], undefined, ['1', false], ['2', true]],
    );
  });

  test('a deleted key is in no range, and can be set again', async ({ store }) => {
    await store.commit({ set: [['a', '1']] });
    await store.commit({ delete: ['a'] });
    assert.deepEqual(await store.list({ from: 'a', until: 'b', limit: 1 }), []);
    await store.commit({ set: [['a', '2']] });
    assert.equal(await read(store, 'a'), 2);
  });

  test('a batch resolves with a version even if it sets nothing', async ({ store }) => {
    const version = await commit(store, { set: [['a', '1']] });
    await commit(store, { check: [['a', version]] });
    await commit(store, { check: [['b', 0]] });
    await commit(store, { delete: ['missing'] });
    await commit(store, {});
    assert.equal(await versionOf(store, 'a'), version);
    assert.equal(await versionOf(store, 'b'), 0);
  });

  test('a check succeeds with the version of a key, or with 0 if the key does not exist', async ({ store }) => {
    const first = await commit(store, { check: [['a', 0]], set: [['a', '1']] });
    const second = await commit(store, { check: [['a', first]], set: [['a', '2']] });
    await commit(store, {
      check: [
        ['a', second],
        ['other', 0],
      ],
      set: [['b', '3']],
    });
    await commit(store, { check: [['a', second]], delete: ['a'] });
    await commit(store, { check: [['a', 0]], set: [['a', '7']] });
    assert.deepEqual(await readAll(store, ['a', 'b']), [7, 3]);
  });

  test('a failed check changes nothing', async ({ store }) => {
    const old = await commit(store, { set: [['a', '1']] });
    const version = await commit(store, {
      set: [
        ['a', '2'],
        ['b', '2'],
        ['c', '2'],
      ],
    });
    const failing: Batch['check'][] = [
      [['a', old]],
      [['a', 0]],
      [['missing', version]],
      [['b', version + 1]],
      [
        ['a', version],
        ['b', old],
      ],
      [
        ['z', 0],
        ['a', version],
        ['c', 0],
      ],
    ];
    for (const check of failing) {
      const batch: Batch = {
        check: check!,
        set: [
          ['a', '3'],
          ['c', '3'],
          ['n', '3'],
        ],
        delete: ['b'],
      };
      const message = `commit did not resolve with undefined, though a check fails: ${JSON.stringify(check)}`;
      assert.equal(await store.commit(batch), undefined, message);
      assert.equal(await store.commit({ check: check! }), undefined, message);
    }
    assert.deepEqual(await readAll(store, ['a', 'b', 'c', 'n', 'missing', 'z']), [
      2,
      2,
      2,
      undefined,
      undefined,
      undefined,
    ]);
    const entries = await store.get(['a', 'b', 'c']);
    assert.deepEqual(
      entries.map((entry) => entry?.version),
      [version, version, version],
    );
  });

  test('a check may be for a key that the batch does not change', async ({ store }) => {
    const version = await commit(store, { set: [['a', '1']] });
    await commit(store, { check: [['a', version]], set: [['b', '1']] });
    assert.equal(await versionOf(store, 'a'), version);
    await store.commit({ set: [['a', '2']] });
    assert.equal(await store.commit({ check: [['a', version]], set: [['b', '2']] }), undefined);
    assert.equal(await read(store, 'b'), 1);
  });

  test('a version is never used twice for a key, even if it is deleted and set again', async ({ store }) => {
    const seen = new Set<number>([0]);
    for (let round = 0; round < 20; round += 1) {
      const version = await commit(store, { set: [['a', '"the same"']] });
      assert.ok(!seen.has(version), usedBefore(version));
      seen.add(version);
      if (round % 3 === 0) await store.commit({ delete: ['a'] });
      if (round % 4 === 0) seen.add(await commit(store, { set: [['b', '1']] }));
    }
    const old = await commit(store, { set: [['a', '1']] });
    await store.commit({ delete: ['a'] });
    assert.equal(await store.commit({ check: [['a', old]], set: [['a', '2']] }), undefined);
    await store.commit({ set: [['a', '1']] });
    assert.equal(await store.commit({ check: [['a', old]], set: [['a', '2']] }), undefined);
  });

  test('a version is not reused after reopening', async ({ store, reopen }) => {
    const versions = new Set([await commit(store, { set: [['a', '1']] }), await commit(store, { set: [['b', '1']] })]);
    await store.commit({ delete: ['b'] });
    for (let round = 0; round < 3; round += 1) {
      const store = await reopen();
      assert.equal(await versionOf(store, 'b'), 0);
      const version = await commit(store, { set: [['b', '1']] });
      assert.ok(!versions.has(version), usedBefore(version));
      versions.add(version);
      await store.commit({ delete: ['b'] });
    }
  });
};
