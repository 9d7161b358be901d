import assert from 'node:assert/strict';
import { all, commit, keys, listAll, parse, type Suite, usedBefore } from './fixture.ts';

export const durabilityTests: Suite = ({ test, testShared }) => {
  test('reopening twice changes nothing', async ({ store, reopen }) => {
    const many = keys('k/', 300);
    await all(300, (n) => store.commit({ set: [[many[n]!, `"${n}"`]] }));
    await all(100, (n) => store.commit({ delete: [many[n * 3]!] }));
    await all(50, (n) => store.commit({ set: [[many[n * 3 + 1]!, '"again"']] }));
    const before = await listAll(store, 'k/');
    for (let round = 0; round < 2; round += 1) {
      const again = await reopen();
      assert.deepEqual(await listAll(again, 'k/'), before);
      const [entry] = await again.get([many[1]!]);
      assert.equal(await again.commit({ check: [[many[1]!, entry!.version - 1]], delete: [many[1]!] }), undefined);
    }
  });

  test('a commit that has resolved survives a crash', async ({ store: before, reopen, openCopy }) => {
    await commit(before, { set: [['a', '0']] });
    const store = await reopen(); // there are files, even if a plugin writes them only in close()
    const first = await commit(store, { set: ['a', 'b'].map((key) => [key, '1']) });
    const names = keys('k/', 50);
    await all(50, (n) => commit(store, { set: [[names[n]!, String(n)]] }));
    const last = await commit(store, { set: [['a', '2']], delete: ['b', names[0]!] });
    const copy = await openCopy();
    if (!copy) return;
    const found = (await copy.list({ from: 'a', until: 'l', limit: 100 })).map(parse);
    assert.deepEqual(
      found,
      [2, ...names.keys()].filter((value) => value !== 0),
      'a commit resolved before its changes were in the files of the data folder: a crash at this moment would lose them',
    );
    const next = await commit(copy, { set: [['b', '1']] });
    assert.ok(next !== first && next !== last, usedBefore(next));
  });

  test('ping and verify succeed on a healthy store', async ({ store }) => {
    await store.ping();
    await store.verify();
    await all(50, (n) => commit(store, { set: [[`k/${n}`, 'true']] }));
    await store.verify();
    await store.ping();
    assert.equal((await listAll(store, 'k/')).length, 50);
  });

  testShared('one store continues after the other one was closed', async (one, other, close) => {
    const version = await commit(one, { set: [['a', '1']] });
    await close(one);
    const [entry] = await other.get(['a']);
    assert.deepEqual([parse(entry), entry?.version], [1, version]);
    assert.ok((await commit(other, { check: [['a', version]], set: [['a', '2']] })) !== version);
  });
};
