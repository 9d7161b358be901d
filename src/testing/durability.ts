import assert from 'node:assert/strict';
import { all, assertRejects, commit, keys, listAll, parse, read, type Suite } from './fixture.ts';

export const durabilityTests: Suite = ({ test, testShared }) => {
  test('reopening twice changes nothing', async ({ store, reopen }) => {
    const many = keys('k/', 300);
    await all(300, (n) => store.commit({ set: [[many[n]!, `"${n}"`]], sum: [['sum', n]] }));
    await all(100, (n) => store.commit({ delete: [many[n * 3]!] }));
    await all(50, (n) => store.commit({ set: [[many[n * 3 + 1]!, '"again"']] }));
    const before = [...(await listAll(store, 'k/')), ...(await store.get(['sum']))];
    for (let round = 0; round < 2; round += 1) {
      const again = await reopen();
      assert.deepEqual([...(await listAll(again, 'k/')), ...(await again.get(['sum']))], before);
      const [entry] = await again.get([many[1]!]);
      assert.equal(await again.commit({ check: [[many[1]!, entry!.version - 1]], delete: [many[1]!] }), undefined);
    }
  });

  test('closing waits for running commits', async ({ store, reopen }) => {
    const commits = all(100, (n) => store.commit({ set: [[`k/${n}`, String(n)]] }));
    const closing = store.close();
    const versions = await commits;
    await closing;
    const found = await listAll(await reopen(), 'k/');
    assert.deepEqual(found.map(({ version }) => version).toSorted(), [...versions].toSorted());
  });

  test('a store may be closed twice, even concurrently', async ({ store }) => {
    await store.commit({ set: [['a', '1']] });
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });

  test('a closed store rejects every call with a StorageError', async ({ store, reopen }) => {
    await store.commit({ set: [['a', '1']] });
    await store.close();
    await assertRejects(store.get(['a']), 'get');
    await assertRejects(store.list({ from: 'a', until: 'b', limit: 1 }), 'list');
    await assertRejects(store.commit({ set: [['a', '2']] }), 'commit');
    await assertRejects(store.ping(), 'ping');
    await assertRejects(store.verify(), 'verify');
    assert.equal(await read(await reopen(), 'a'), 1);
  });

  test('ping and verify succeed on a healthy store', async ({ store }) => {
    await store.ping();
    await store.verify();
    await all(50, (n) => commit(store, { set: [[`k/${n}`, 'true']] }));
    await store.verify();
    await store.ping();
    assert.equal((await listAll(store, 'k/')).length, 50);
  });

  testShared('one store continues after the other one was closed', async (one, other) => {
    const version = await commit(one, { set: [['a', '1']] });
    await one.close();
    const [entry] = await other.get(['a']);
    assert.deepEqual([parse(entry), entry?.version], [1, version]);
    assert.ok((await commit(other, { check: [['a', version]], set: [['a', '2']] })) !== version);
  });
};
