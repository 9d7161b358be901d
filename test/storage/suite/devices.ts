import assert from 'node:assert/strict';
import type { DeviceType } from '../../../src/domain/types.ts';
import type { Suite } from './bench.ts';
import { action, add, addUser, feed, ODD_TEXTS, readActions, remove } from './samples.ts';

const TYPES: readonly DeviceType[] = ['desktop', 'laptop', 'mobile', 'server', 'other'];

export const deviceTests: Suite = ({ describe, test }) => {
  describe('saving', () => {
    test('creates a device with defaults', async ({ storage }) => {
      const alice = await addUser(storage);
      const phone = { id: 'phone', caption: '', type: 'other' };
      assert.deepEqual(await storage.devices.save(alice, 'phone', {}), phone);
      assert.deepEqual(await storage.devices.find(alice, 'phone'), phone);
      assert.deepEqual(await storage.devices.all(alice), [{ ...phone, subscriptions: 0 }]);
    });

    for (const [patch, after] of [
      [{}, { caption: 'My phone', type: 'mobile' }],
      [{ caption: 'New' }, { caption: 'New', type: 'mobile' }],
      [{ caption: '' }, { caption: '', type: 'mobile' }],
      [{ type: 'server' }, { caption: 'My phone', type: 'server' }],
      [
        { caption: 'New', type: 'server' },
        { caption: 'New', type: 'server' },
      ],
    ] as const) {
      test(`changes only the keys given: ${JSON.stringify(patch)}`, async ({ storage }) => {
        const alice = await addUser(storage);
        await storage.devices.save(alice, 'phone', { caption: 'My phone', type: 'mobile' });
        await storage.devices.save(alice, 'tv', { caption: 'My TV', type: 'desktop' });
        assert.deepEqual(await storage.devices.save(alice, 'phone', patch), { id: 'phone', ...after });
        assert.deepEqual(await storage.devices.find(alice, 'phone'), { id: 'phone', ...after });
        assert.deepEqual(await storage.devices.find(alice, 'tv'), { id: 'tv', caption: 'My TV', type: 'desktop' });
      });
    }

    test('accepts every type and any caption', async ({ storage, reopen }) => {
      const alice = await addUser(storage);
      const saved = TYPES.map((type, i) => ({ id: type, caption: ODD_TEXTS.slice(i).join('\n\t'), type }));
      for (const { id, ...patch } of saved) await storage.devices.save(alice, id, patch);
      const { devices } = await reopen();
      for (const device of saved) assert.deepEqual(await devices.find(alice, device.id), device);
    });

    test('accepts any text as an id, compared exactly', async ({ storage, reopen }) => {
      const alice = await addUser(storage);
      const ids = [...ODD_TEXTS, 'Phone', 'phone', 'PHONE'];
      for (const id of ids) {
        await storage.devices.save(alice, id, { caption: `caption of ${id}` });
        await storage.subscriptions.apply(alice, id, add(feed(1), feed(`of ${id}`)));
        await storage.actions.append(alice, [action(1, { device: id })]);
      }
      const reopened = await reopen();
      assert.deepEqual(
        await reopened.devices.all(alice),
        ids.map((id) => ({ id, caption: `caption of ${id}`, type: 'other', subscriptions: 2 })),
      );
      for (const id of ids) {
        assert.deepEqual(await reopened.subscriptions.current(alice, id), [feed(1), feed(`of ${id}`)]);
        assert.deepEqual(await readActions(reopened, alice, { device: id }), [action(1, { device: id })]);
      }
    });
  });

  describe('listing', () => {
    test('is in the order created', async ({ storage }) => {
      const alice = await addUser(storage);
      assert.deepEqual(await storage.devices.all(alice), []);
      await storage.devices.save(alice, 'tv', {});
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await storage.actions.append(alice, [action(1, { device: 'car' })]);
      await storage.devices.save(alice, 'bike', {});
      await storage.devices.save(alice, 'tv', { caption: 'changed later' });
      const ids = (await storage.devices.all(alice)).map(({ id }) => id);
      assert.deepEqual(ids, ['tv', 'phone', 'car', 'bike']);
    });

    test('counts the current subscriptions of each device', async ({ storage }) => {
      const alice = await addUser(storage);
      const count = async (): Promise<unknown> =>
        (await storage.devices.all(alice)).map(({ id, subscriptions }) => [id, subscriptions]);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1), feed(2), feed(3)));
      await storage.subscriptions.apply(alice, 'tv', add(feed(1)));
      await storage.subscriptions.apply(alice, 'phone', [...remove(feed(1)), ...add(feed(2))]);
      assert.deepEqual(await count(), [
        ['phone', 2],
        ['tv', 1],
      ]);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await storage.subscriptions.replace(alice, 'tv', []);
      assert.deepEqual(await count(), [
        ['phone', 3],
        ['tv', 0],
      ]);
    });
  });

  describe('uploads', () => {
    test('create their devices, even if they change nothing', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'a', []);
      await storage.subscriptions.apply(alice, 'b', remove(feed(1)));
      await storage.subscriptions.replace(alice, 'c', []);
      await storage.actions.append(alice, [action(1, { device: 'd' }), action(2), action(3, { device: 'e' })]);
      assert.deepEqual(
        (await storage.devices.all(alice)).toSorted((x, y) => (x.id < y.id ? -1 : 1)),
        ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, caption: '', type: 'other', subscriptions: 0 })),
      );
    });

    test('create devices in the order named', async ({ storage }) => {
      const alice = await addUser(storage);
      const named = Array.from({ length: 50 }, (_, n) => `device ${(n * 37) % 50}`);
      await storage.actions.append(
        alice,
        named.map((device, n) => action(n, { device })),
      );
      const ids = (await storage.devices.all(alice)).map(({ id }) => id);
      assert.deepEqual(ids, named);
    });

    test('do not change a known device', async ({ storage }) => {
      const alice = await addUser(storage);
      const phone = await storage.devices.save(alice, 'phone', { caption: 'My phone', type: 'mobile' });
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await storage.subscriptions.replace(alice, 'phone', [feed(2)]);
      await storage.actions.append(alice, [action(1, { device: 'phone' })]);
      assert.deepEqual(await storage.devices.find(alice, 'phone'), phone);
    });
  });

  test('looking for a device does not create it', async ({ storage }) => {
    const alice = await addUser(storage);
    assert.equal(await storage.devices.find(alice, 'phone'), undefined);
    assert.deepEqual((await storage.subscriptions.since(alice, 'phone', 0)).items, []);
    assert.deepEqual(await readActions(storage, alice, { device: 'phone' }), []);
    assert.deepEqual(await storage.devices.all(alice), []);
  });

  describe('removing', () => {
    test('removes the device and its list, but not its episode actions', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1), feed(2)));
      await storage.subscriptions.apply(alice, 'tv', add(feed(2)));
      await storage.actions.append(alice, [action(1, { device: 'phone' })]);
      assert.equal(await storage.devices.delete(alice, 'phone'), true);
      for await (const open of nowAndReopened()) {
        const { devices, subscriptions, podcasts } = open;
        assert.equal((await readActions(open, alice, { device: 'phone' })).length, 1);
        assert.deepEqual(
          (await devices.all(alice)).map(({ id }) => id),
          ['tv'],
        );
        assert.deepEqual(await subscriptions.current(alice), [feed(2)]);
        assert.equal(await devices.find(alice, 'phone'), undefined);
        assert.deepEqual(
          (await podcasts.top(10)).map(({ url, subscribers }) => [url, subscribers]),
          [[feed(2), 1]],
        );
      }
    });

    test('leaves a feed without subscribers once the last other device removes it, too', async (bench) => {
      const { storage } = bench;
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, ['phone', 'tablet'], add(feed(1)));
      await storage.devices.delete(alice, 'tablet');
      await storage.subscriptions.apply(alice, 'phone', remove(feed(1)));
      for await (const { podcasts } of bench.nowAndReopened()) {
        assert.equal((await podcasts.find([feed(1)]))[0]?.subscribers, 0);
      }
    });

    test('is false for an unknown device', async ({ storage }) => {
      const alice = await addUser(storage);
      assert.equal(await storage.devices.delete(alice, 'phone'), false);
    });

    test('removes the device from its group, and a group of one is dissolved', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      for (const id of ['a', 'b', 'c', 'd']) await storage.devices.save(alice, id, {});
      await storage.devices.synchronize(
        alice,
        [
          ['a', 'b'],
          ['c', 'd', 'b'],
        ],
        [],
      );
      await storage.devices.synchronize(alice, [], ['c']);
      await storage.devices.delete(alice, 'a');
      assert.deepEqual(await storage.devices.groups(alice), [['b', 'd']]);
      await storage.devices.delete(alice, 'd');
      for await (const { devices } of nowAndReopened()) assert.deepEqual(await devices.groups(alice), []);
    });

    test('a recreated device starts from scratch', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.devices.save(alice, 'phone', { caption: 'My phone' });
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await storage.devices.delete(alice, 'phone');
      await storage.subscriptions.apply(alice, 'phone', add(feed(2)));
      for await (const { devices, subscriptions } of nowAndReopened()) {
        assert.deepEqual(await devices.all(alice), [{ id: 'phone', caption: '', type: 'other', subscriptions: 1 }]);
        assert.deepEqual(await subscriptions.current(alice, 'phone'), [feed(2)]);
      }
    });
  });

  describe('the last sync', () => {
    const app = 'AntennaPod/3.5';
    const dialect = 'nextcloud';

    test('is kept with the app', async ({ storage, clock, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.devices.save(alice, 'phone', { caption: 'My phone' });
      await storage.devices.touch(alice, 'phone', { syncedAt: clock.at, app, dialect });
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      for await (const { devices } of nowAndReopened()) {
        const phone = {
          id: 'phone',
          caption: 'My phone',
          type: 'other',
          subscriptions: 1,
          syncedAt: clock.at,
          app,
          dialect,
        };
        assert.deepEqual(await devices.all(alice), [phone]);
      }
    });

    test('creates no device', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      assert.equal(await storage.devices.touch(alice, 'phone', { syncedAt: clock.at, app, dialect }), false);
      assert.deepEqual(await storage.devices.all(alice), []);
    });
  });

  test('two users may have devices with the same id', async ({ storage }) => {
    const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
    await storage.devices.save(alice, 'phone', { caption: 'of alice' });
    assert.equal(await storage.devices.find(bob, 'phone'), undefined);
    assert.equal(await storage.devices.find(alice, 'PHONE'), undefined);
    await storage.devices.save(bob, 'phone', { caption: 'of bob' });
    assert.equal((await storage.devices.find(alice, 'phone'))?.caption, 'of alice');
    assert.equal((await storage.devices.all(bob)).length, 1);
  });
};
