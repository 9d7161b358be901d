import assert from 'node:assert/strict';
import type { Stamp, UserId } from '../../../src/domain/types.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import { OVERLAP, START, type Suite } from './bench.ts';
import { CHANNELS, openActions, openSubscriptions } from './channels.ts';
import { action, addUser, feed } from './samples.ts';

/** The mark of an upload without overlap: everything is visible. */
const markOf = async ({ subscriptions }: Storage, user: UserId): Promise<Stamp> =>
  (await subscriptions.since(user, 'phone', 0)).mark;

/** Stamp of the user's newest change, while the clock does not change. */
const newestStamp = async (storage: Storage, user: UserId): Promise<Stamp> => (await markOf(storage, user)) - 1;

/** Devices of an earlier and of a later upload of actions, and whether the earlier one counts as another device's. */
const ORIGINS = [
  [['phone'], ['phone'], false],
  [['phone', 'phone'], ['phone', 'phone', 'phone'], false],
  [['tv'], ['phone'], true],
  [[undefined], ['phone'], true],
  [['phone', undefined], ['phone'], true],
  [['phone', 'tv'], ['phone'], true],
  [['phone'], [undefined], true],
  [['phone'], ['phone', undefined], true],
  [['phone'], ['phone', 'tv'], true],
  [[undefined], [undefined], true],
] as const;

export const overlapTests: Suite = ({ describe, test }) => {
  for (const [kind, openOther] of CHANNELS) {
    for (const [ownKind, openOwn] of CHANNELS) {
      test(`an upload of ${ownKind} stays below another device's ${kind} of the last ${OVERLAP} s`, async (bench) => {
        const { storage, clock } = bench;
        const alice = await addUser(storage);
        const [phone, tv] = [openOwn(storage, alice, 'phone'), openOther(storage, alice, 'tv')];
        await tv.push(1);
        const stamp = await newestStamp(storage, alice);
        assert.equal(await phone.push(2), stamp - 1);
        clock.at += OVERLAP - 1;
        assert.equal(await phone.push(3), stamp - 1);
        assert.ok((await tv.pull(stamp - 1)).numbers.includes(1));
        assert.ok((await tv.pull(stamp)).numbers.includes(1), 'for a client that adds one to its mark');
        clock.at += 1;
        assert.equal(await phone.push(4), await markOf(storage, alice), `${OVERLAP} s later it is no longer recent`);
      });
    }
  }

  for (const [kind, openChannel] of CHANNELS) {
    describe(`uploading ${kind}`, () => {
      test('own uploads never lower the mark', async ({ storage, clock }) => {
        const alice = await addUser(storage);
        const phone = openChannel(storage, alice, 'phone');
        const feeds = openSubscriptions(storage, alice, 'phone');
        for (let n = 1; n < 5; n += 1) {
          assert.equal(await phone.push(n), await markOf(storage, alice));
          assert.equal(await feeds.push(n + 10), await markOf(storage, alice));
          clock.at += n;
        }
      });

      test('the oldest of several recent ones counts', async ({ storage, clock }) => {
        const alice = await addUser(storage);
        const [phone, tv] = [openChannel(storage, alice, 'phone'), openChannel(storage, alice, 'tv')];
        const car = openChannel(storage, alice, 'car');
        await phone.push(1);
        clock.at += 10;
        await tv.push(2);
        const first = await newestStamp(storage, alice);
        clock.at += 60;
        await car.push(3);
        const second = await newestStamp(storage, alice);
        await tv.push(4);
        assert.equal(await phone.push(5), first - 1);
        clock.at += OVERLAP - 60;
        assert.equal(await phone.push(6), second - 1);
      });

      test('age counts from the upload, not from a stamp that runs ahead of the clock', async ({ storage, clock }) => {
        const alice = await addUser(storage);
        const [phone, tv] = [openChannel(storage, alice, 'phone'), openChannel(storage, alice, 'tv')];
        await tv.push(1);
        const first = await newestStamp(storage, alice);
        for (let n = 2; n <= OVERLAP; n += 1) await tv.push(n);
        const ahead = (await newestStamp(storage, alice)) - clock.at;
        assert.ok(ahead > OVERLAP, `the stamps are ${ahead} s ahead`);
        clock.at += OVERLAP - 1;
        assert.equal(await phone.push(1001), first - 1);
        clock.at += 1;
        assert.equal(await phone.push(1002), await markOf(storage, alice));
      });

      test('an upload without effect also stays below, and lowers no marks itself', async ({ storage, clock }) => {
        const alice = await addUser(storage);
        const [phone, tv] = [openChannel(storage, alice, 'phone'), openChannel(storage, alice, 'tv')];
        await phone.push(1);
        await tv.push(2);
        const stamp = await newestStamp(storage, alice);
        assert.equal(await phone.push(1), stamp - 1);
        clock.at += OVERLAP;
        await tv.push(2);
        assert.equal(await phone.push(1), await markOf(storage, alice));
        assert.equal(await phone.push(3), await markOf(storage, alice));
      });

      test('an upload by a clock that was years ahead counts as recent only briefly after it is corrected', async (bench) => {
        const { clock, reopen } = bench;
        const alice = await addUser(bench.storage);
        clock.at += 10 * 365 * 86_400;
        await openChannel(bench.storage, alice, 'tv').push(1);
        const first = await newestStamp(bench.storage, alice);
        clock.at = START;
        const storage = await reopen();
        const phone = openChannel(storage, alice, 'phone');
        assert.equal(await phone.push(2), first - 1);
        clock.at += 2 * OVERLAP;
        assert.equal(await phone.push(3), await markOf(storage, alice), 'nothing is repeated any more');
      });

      test('no upload is missed because others were by a clock that was years ahead', async (bench) => {
        const { clock, reopen } = bench;
        const alice = await addUser(bench.storage);
        clock.at += 10 * 365 * 86_400;
        for (const n of [1, 2]) {
          clock.at += 10;
          await openChannel(bench.storage, alice, 'tv').push(n);
        }
        clock.at = START;
        const storage = await reopen();
        const [phone, tv] = [openChannel(storage, alice, 'phone'), openChannel(storage, alice, 'tv')];
        await phone.push(3);
        clock.at += OVERLAP; // when the TV's uploads count as those of this second
        await phone.push(4);
        const stamp = await newestStamp(storage, alice);
        assert.equal(await tv.push(5), stamp - 1);
      });

      test('the overlap is known after reopening', async ({ storage, clock, reopen }) => {
        const alice = await addUser(storage);
        await openChannel(storage, alice, 'phone').push(1);
        await openChannel(storage, alice, 'tv').push(2);
        const stamp = await newestStamp(storage, alice);
        clock.at += OVERLAP - 1;
        const reopened = await reopen();
        const [phone, tv] = [openChannel(reopened, alice, 'phone'), openChannel(reopened, alice, 'tv')];
        assert.equal(await phone.push(3), stamp - 1);
        assert.equal(await tv.push(4), stamp - 3, 'the phone uploaded first of all');
        clock.at += 1;
        assert.equal(await phone.push(5), (await newestStamp(reopened, alice)) - 3, 'the TV uploaded last but one');
      });

      test('uploads by the operator for the device count, too', async ({ storage }) => {
        const alice = await addUser(storage);
        const phone = openChannel(storage, alice, 'phone');
        await phone.push(1);
        await openChannel(storage, alice, 'phone', 'server').push(2);
        const stamp = await newestStamp(storage, alice);
        const mark = await phone.push(3);
        assert.equal(mark, stamp - 1);
        assert.ok((await phone.pull(mark)).numbers.includes(2));
      });

      test('other users do not matter', async ({ storage }) => {
        const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
        await openChannel(storage, bob, 'tv').push(1);
        assert.equal(await openChannel(storage, alice, 'phone').push(1), await markOf(storage, alice));
      });
    });
  }

  test('a whole list counts like a delta', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    await storage.subscriptions.replace(alice, 'tv', [feed(1)]);
    const stamp = await newestStamp(storage, alice);
    assert.equal(await storage.subscriptions.replace(alice, 'phone', [feed(2)]), stamp - 1);
    assert.equal(await storage.subscriptions.replace(alice, 'phone', [feed(2)]), stamp - 1);
    clock.at += OVERLAP;
    assert.equal(await storage.subscriptions.replace(alice, 'phone', [feed(3)]), await markOf(storage, alice));
  });

  test('a whole list uploaded by the operator for the device counts', async ({ storage }) => {
    const alice = await addUser(storage);
    await storage.subscriptions.replace(alice, 'phone', [feed(1)], 'server');
    const stamp = await newestStamp(storage, alice);
    assert.equal(await storage.subscriptions.replace(alice, 'phone', [feed(1), feed(2)]), stamp - 1);
  });

  describe('the device of an upload of episode actions', () => {
    for (const [earlier, later, isOther] of ORIGINS) {
      const name = (devices: typeof earlier | typeof later): string => devices.map((id) => id ?? 'none').join(' and ');
      test(`${name(earlier)}, then ${name(later)}: ${isOther ? 'another' : 'the same'}`, async ({ storage }) => {
        const alice = await addUser(storage);
        const upload = (devices: typeof earlier | typeof later, first: number): Promise<Stamp> =>
          storage.actions.append(
            alice,
            devices.map((device, i) => action(first + i, device === undefined ? {} : { device })),
          );
        await upload(earlier, 1);
        const stamp = await newestStamp(storage, alice);
        const mark = await upload(later, 100);
        assert.equal(mark, isOther ? stamp - 1 : await markOf(storage, alice));
      });
    }

    test('unknown, then subscriptions of a device: another', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.actions.append(alice, [action(1)]);
      const stamp = await newestStamp(storage, alice);
      assert.equal(await openSubscriptions(storage, alice, 'phone').push(1), stamp - 1);
      assert.equal(await openActions(storage, alice, 'phone').push(2), stamp - 1);
    });
  });
};
