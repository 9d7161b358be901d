import assert from 'node:assert/strict';
import type { Suite } from '../bench.ts';

const LIMIT = { most: 3, within: 100 };

export const attemptTests: Suite = ({ test }) => {
  test('are counted up to the limit only', async ({ storage: { attempts } }) => {
    for (let n = 0; n < LIMIT.most; n += 1) assert.equal(await attempts.add('one', LIMIT), 0);
    assert.equal(await attempts.add('one', LIMIT), LIMIT.within);
    assert.equal(await attempts.add('one', { ...LIMIT, most: 4 }), 0, 'the refused one was not counted');
  });

  test('are allowed again when the oldest has expired, to the second', async ({ storage: { attempts }, clock }) => {
    const start = clock.at;
    for (const at of [0, 10, 20]) {
      clock.at = start + at;
      assert.equal(await attempts.add('one', LIMIT), 0);
    }
    clock.at = start + LIMIT.within - 1;
    assert.equal(await attempts.add('one', LIMIT), 1);
    clock.at += 1;
    assert.equal(await attempts.add('one', LIMIT), 0);
    assert.equal(await attempts.add('one', LIMIT), 10, 'until the second is over');
  });

  test('are checked without being counted', async ({ storage: { attempts }, clock }) => {
    assert.equal(await attempts.wait('one', LIMIT), 0);
    for (let n = 0; n < LIMIT.most; n += 1) {
      assert.equal(await attempts.wait('one', LIMIT), 0);
      await attempts.add('one', LIMIT);
    }
    clock.at += 40;
    assert.equal(await attempts.wait('one', LIMIT), 60);
    clock.at += 60;
    assert.equal(await attempts.wait('one', LIMIT), 0);
  });

  test('can be refunded, the last one first', async ({ storage: { attempts }, clock }) => {
    await attempts.refund('one');
    const start = clock.at;
    for (const at of [0, 10, 20]) {
      clock.at = start + at;
      await attempts.add('one', LIMIT);
    }
    await attempts.refund('one');
    assert.equal(await attempts.wait('one', LIMIT), 0);
    assert.equal(await attempts.wait('one', { ...LIMIT, most: 2 }), 80, 'until the first is over');
  });

  test('by a clock that was years ahead do not count after it is corrected', async ({ storage, clock, reopen }) => {
    const start = clock.at;
    clock.at += 10 * 365 * 86_400;
    for (let n = 0; n < LIMIT.most; n += 1) await storage.attempts.add('one', LIMIT);
    clock.at = start;
    const { attempts } = await reopen();
    assert.equal(await attempts.wait('one', LIMIT), 0);
    for (let n = 0; n < LIMIT.most; n += 1) assert.equal(await attempts.add('one', LIMIT), 0);
    assert.equal(await attempts.wait('one', LIMIT), LIMIT.within);
  });

  test('are counted for each key separately', async ({ storage: { attempts } }) => {
    for (let n = 0; n < LIMIT.most; n += 1) await attempts.add('one', LIMIT);
    for (const key of ['two', 'One', 'one ', '__proto__', '']) {
      assert.equal(await attempts.add(key, LIMIT), 0, `counted as ${JSON.stringify(key)}`);
    }
  });

  test('are counted correctly when concurrent', async ({ storage: { attempts } }) => {
    const waits = await Promise.all(Array.from({ length: 30 }, () => attempts.add('one', LIMIT)));
    assert.equal(waits.filter((wait) => wait === 0).length, LIMIT.most);
    assert.equal(waits.filter((wait) => wait === LIMIT.within).length, 30 - LIMIT.most);
  });
};
