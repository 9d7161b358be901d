import assert from 'node:assert/strict';
import type { RefusedRequest } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { addUser, ODD_TEXTS } from '../samples.ts';

const refused = (at: number): RefusedRequest => ({ at, reason: `Reason ${at}`, app: 'Phone/1', dialect: 'nextcloud' });

/** Served marks and refused requests of apps. */
export const appNoteTests: Suite = ({ test }) => {
  test('keeps served marks per device, for subscriptions and actions separately', async (bench) => {
    const { storage } = bench;
    const [alice, bob] = [await addUser(storage), await addUser(storage, 'bob')];
    const mark = (n: number) => ({ since: n, from: n + 1, mark: n + 2 });
    assert.equal(await storage.servedMarks.find(alice, 'phone', 'actions'), undefined);
    await storage.servedMarks.save(alice, 'phone', 'actions', mark(1));
    await storage.servedMarks.save(alice, 'phone', 'subscriptions', mark(2));
    await storage.servedMarks.save(alice, 'phone', 'actions', mark(3));
    for (const [n, device] of ODD_TEXTS.entries()) {
      await storage.servedMarks.save(alice, device, 'actions', mark(10 * n));
    }
    for await (const { servedMarks } of bench.nowAndReopened()) {
      assert.deepEqual(await servedMarks.find(alice, 'phone', 'actions'), mark(3));
      assert.deepEqual(await servedMarks.find(alice, 'phone', 'subscriptions'), mark(2));
      for (const [n, device] of ODD_TEXTS.entries()) {
        assert.deepEqual(await servedMarks.find(alice, device, 'actions'), mark(10 * n));
      }
      assert.equal(await servedMarks.find(bob, 'phone', 'actions'), undefined);
    }
  });

  test('keeps the newest 20 refusals of an account, newest first', async ({ storage, nowAndReopened }) => {
    const [alice, bob] = [await addUser(storage), await addUser(storage, 'bob')];
    for (let n = 1; n <= 25; n += 1) await storage.refusals.add(alice, refused(n));
    await storage.refusals.add(bob, { ...refused(1), device: 'phone' });
    for await (const { refusals } of nowAndReopened()) {
      assert.deepEqual(
        await refusals.all(alice),
        Array.from({ length: 20 }, (_, n) => refused(25 - n)),
      );
      assert.deepEqual(await refusals.all(bob), [{ ...refused(1), device: 'phone' }]);
    }
  });

  test('both are removed with the account', async ({ storage }) => {
    const alice = await addUser(storage);
    await storage.servedMarks.save(alice, 'phone', 'actions', { since: 1, from: 1, mark: 1 });
    await storage.refusals.add(alice, refused(1));
    await storage.users.delete(alice);
    assert.equal(await storage.servedMarks.find(alice, 'phone', 'actions'), undefined);
    assert.deepEqual(await storage.refusals.all(alice), []);
    await assert.rejects(storage.refusals.add(alice, refused(2)), { code: 'missing' });
  });
};
