import assert from 'node:assert/strict';
import type { Json, SettingScope } from '../../../../src/domain/types.ts';
import type { SettingUpdate } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { addUser, feed, ODD_TEXTS } from '../samples.ts';

const ACCOUNT: SettingScope = { kind: 'account' };

/** Scopes that differ in one respect each. */
const SCOPES: readonly SettingScope[] = [
  ACCOUNT,
  { kind: 'device', device: feed(1) },
  { kind: 'device', device: 'phone' },
  { kind: 'device', device: 'Phone' },
  { kind: 'device', device: '__proto__' },
  { kind: 'podcast', podcast: feed(1) },
  { kind: 'podcast', podcast: feed(2) },
  { kind: 'episode', podcast: feed(1), episode: feed(1) },
  { kind: 'episode', podcast: feed(1), episode: feed(2) },
  { kind: 'episode', podcast: feed(2), episode: feed(1) },
];

const VALUES: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1.5,
  1e21,
  '',
  '0',
  'null',
  '{"a":1}',
  [],
  {},
  [null, [1, { a: [] }], ''],
  { nested: { b: 1, a: null }, 'odd key "': ['ü', '🎧'] },
  'x'.repeat(65_536),
];

const update = (set: Record<string, Json>, remove: readonly string[] = [], limit = 1000): SettingUpdate => ({
  set,
  remove,
  limit,
});

export const settingTests: Suite = ({ describe, test }) => {
  test('are empty at first, and reading creates none', async ({ storage }) => {
    const alice = await addUser(storage);
    for (const scope of SCOPES) assert.deepEqual(await storage.settings.get(alice, scope), {});
    assert.deepEqual(await storage.devices.all(alice), []);
    assert.deepEqual(await storage.settings.withKey(alice, 'account', 'a'), []);
  });

  test('belong to one scope of one user, whose subject need not exist', async ({ storage, nowAndReopened }) => {
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    for (const [i, scope] of SCOPES.entries()) await storage.settings.update(alice, scope, update({ number: i }));
    for await (const { settings, devices } of nowAndReopened()) {
      for (const [i, scope] of SCOPES.entries()) {
        assert.deepEqual(await settings.get(alice, scope), { number: i }, JSON.stringify(scope));
        assert.deepEqual(await settings.get(bob, scope), {});
      }
      assert.deepEqual(await devices.all(alice), []);
    }
  });

  test('may have any JSON as a value', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    const set = Object.fromEntries(VALUES.map((value, i) => [`key ${i}`, value]));
    assert.deepEqual(await storage.settings.update(alice, ACCOUNT, update(set)), set);
    for await (const { settings } of nowAndReopened()) assert.deepEqual(await settings.get(alice, ACCOUNT), set);
  });

  test('may have any text as a key', async ({ storage, nowAndReopened }) => {
    const alice = await addUser(storage);
    const set = Object.fromEntries([...ODD_TEXTS, '', 'Key', 'key'].map((key) => [key, `value of ${key}`]));
    assert.deepEqual(await storage.settings.update(alice, ACCOUNT, update(set)), set);
    for await (const { settings } of nowAndReopened()) {
      assert.deepEqual(await settings.get(alice, ACCOUNT), set);
      const found = await settings.withKey(alice, 'account', '__proto__');
      assert.deepEqual(found, [{ scope: ACCOUNT, value: 'value of __proto__' }]);
    }
  });

  describe('updating', () => {
    for (const [what, set, remove, left] of [
      ['adds and changes keys', { b: 'new', c: 3 }, [], { a: 1, b: 'new', c: 3 }],
      ['removes keys, and minds no unknown one', {}, ['a', 'x', '__proto__', 'constructor'], { b: { deep: 2 } }],
      ['sets, then removes', { a: 'new', c: 3 }, ['c', 'b'], { a: 'new' }],
      ['puts a value in place of another, whole', { b: { other: 1 } }, [], { a: 1, b: { other: 1 } }],
      ['may change nothing', {}, [], { a: 1, b: { deep: 2 } }],
      ['may leave nothing', {}, ['a', 'b'], {}],
    ] as const) {
      test(`${what}, and returns the result`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        await storage.settings.update(alice, ACCOUNT, update({ a: 1, b: { deep: 2 } }));
        assert.deepEqual(await storage.settings.update(alice, ACCOUNT, update(set, remove)), left);
        for await (const { settings } of nowAndReopened()) assert.deepEqual(await settings.get(alice, ACCOUNT), left);
      });
    }

    test('beyond the limit of keys changes nothing', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      const { settings } = storage;
      await settings.update(alice, ACCOUNT, update({ a: 1, b: 2 }));
      assert.equal(await settings.update(alice, ACCOUNT, update({ a: 'new', c: 3, d: 4 }, ['b'], 2)), undefined);
      assert.equal(await settings.update(alice, ACCOUNT, update({ a: 'new' }, [], 1)), undefined);
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await open.settings.get(alice, ACCOUNT), { a: 1, b: 2 });
      }
    });

    test('may reach the limit', async ({ storage }) => {
      const alice = await addUser(storage);
      const set = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key ${i}`, i]));
      assert.deepEqual(await storage.settings.update(alice, ACCOUNT, update(set)), set);
      const swapped = await storage.settings.update(alice, ACCOUNT, update({ one: 'more' }, ['key 0']));
      assert.equal(Object.keys(swapped ?? {}).length, 1000);
      assert.equal(await storage.settings.update(alice, ACCOUNT, update({ another: 1 })), undefined);
    });

    test('concurrently loses no update', async ({ storage }) => {
      const alice = await addUser(storage);
      const keys = Array.from({ length: 30 }, (_, i) => `key ${i}`);
      await Promise.all(keys.map((key) => storage.settings.update(alice, ACCOUNT, update({ [key]: key }))));
      const all = Object.fromEntries(keys.map((key) => [key, key]));
      assert.deepEqual(await storage.settings.get(alice, ACCOUNT), all);
    });
  });

  test('are found by key among the scopes of one kind', async ({ storage, nowAndReopened }) => {
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    const episodes = SCOPES.filter(({ kind }) => kind === 'episode');
    for (const scope of SCOPES) await storage.settings.update(alice, scope, update({ other: 1, favorite: null }));
    await storage.settings.update(alice, episodes[0]!, update({ favorite: true }));
    await storage.settings.update(alice, episodes[1]!, update({}, ['favorite']));
    await storage.settings.update(bob, episodes[1]!, update({ favorite: 'of bob' }));
    for await (const { settings } of nowAndReopened()) {
      const found = await settings.withKey(alice, 'episode', 'favorite');
      const wanted = [
        { scope: episodes[0]!, value: true },
        { scope: episodes[2]!, value: null },
      ];
      assert.deepEqual(new Set(found), new Set(wanted));
      assert.deepEqual(await settings.withKey(alice, 'account', 'favorite'), [{ scope: ACCOUNT, value: null }]);
      for (const key of ['Favorite', 'constructor', '']) {
        assert.deepEqual(await settings.withKey(alice, 'episode', key), []);
      }
      assert.equal((await settings.withKey(alice, 'device', 'other')).length, 4);
    }
  });
};
