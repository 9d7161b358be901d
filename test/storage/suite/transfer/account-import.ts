import assert from 'node:assert/strict';
import type { Storage, UserRecord } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { rejectsWith } from '../expectations.ts';
import { action, addUser, feed, ODD_TEXTS, SECRET } from '../samples.ts';
import { accountExportTests } from './account-export.ts';
import { EMAIL, exportUser, createFullAccount, importUser, LARGE, NAME, pagesOf } from './samples.ts';

const namesOf = async ({ users }: Storage): Promise<string[]> => (await users.all()).map(({ name }) => name);

/** Checks that no data of `createFullAccount` is visible. */
async function isNothing(storage: Storage): Promise<void> {
  assert.deepEqual(await namesOf(storage), []);
  assert.equal(await storage.users.find(NAME), undefined);
  assert.equal(await storage.users.find(EMAIL), undefined);
  assert.equal(await storage.sessions.find(`${SECRET}-a`), undefined);
  assert.deepEqual(await storage.podcasts.find([feed(1), feed('only acted on')]), [undefined, undefined]);
  assert.deepEqual(await storage.podcasts.top(10), []);
}

/** Yields the records, then throws; `look` is called before each page. */
async function* breaking(records: readonly UserRecord[], look = async (): Promise<void> => undefined) {
  for await (const page of pagesOf(records)) {
    await look();
    yield page;
  }
  throw new Error('the file ends here');
}

export const transferTests: Suite = (suite) => {
  const { describe, test } = suite;
  accountExportTests(suite);

  describe('an import', () => {
    test('recreates the exported account, to the last record', async (bench) => {
      const alice = await createFullAccount(bench);
      const records = await exportUser(bench.storage, alice);
      const user = await bench.storage.users.find(NAME);
      await bench.storage.transfer.clear();
      const imported = await importUser(bench.storage, records);
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await open.users.find(EMAIL.toUpperCase()), { ...user, id: imported });
        assert.deepEqual(await exportUser(open, imported), records);
        for (const record of records) {
          if (record.kind === 'list') assert.deepEqual(await open.lists.find(imported, record.list.name), record.list);
        }
      }
    });

    test('accepts any text', async ({ storage, nowAndReopened }) => {
      const exports: UserRecord[][] = [];
      for (const text of ODD_TEXTS) {
        const id = await addUser(storage, text);
        await storage.devices.save(id, text, { caption: text });
        await storage.settings.update(id, { kind: 'device', device: text }, { set: { a: text }, ...LARGE });
        const set = Object.fromEntries([[text, text]]);
        await storage.settings.update(id, { kind: 'account' }, { set, ...LARGE });
        await storage.lists.create(id, { name: text, title: text, urls: [] });
        await storage.actions.append(id, [action(1, { device: text, guid: text })]);
        exports.push(await exportUser(storage, id));
        await storage.users.delete(id);
      }
      for (const records of exports) await importUser(storage, records);
      for await (const open of nowAndReopened()) {
        for (const [i, text] of ODD_TEXTS.entries()) {
          assert.deepEqual(await exportUser(open, (await open.users.find(text))!.id), exports[i], text);
        }
      }
    });

    test('shows nothing until it is complete, and leaves nothing when it is interrupted', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await createFullAccount(bench));
      await storage.transfer.clear();
      const broken = storage.transfer.importUser(breaking(records, () => isNothing(storage)));
      await assert.rejects(broken, /the file ends here/);
      for await (const open of bench.nowAndReopened()) {
        await isNothing(open);
        const imported = await importUser(open, records);
        assert.deepEqual(await exportUser(open, imported), records);
        await open.transfer.clear();
      }
    });

    test('is refused completely if the storage is closed meanwhile', async (bench) => {
      const records = await exportUser(bench.storage, await createFullAccount(bench));
      await bench.storage.transfer.clear();
      const closing = async function* (): AsyncGenerator<UserRecord[]> {
        yield records.slice(0, -1);
        await bench.storage.close();
        yield records.slice(-1);
      };
      const made = await bench.storage.transfer.importUser(closing()).catch(() => undefined);
      const storage = await bench.reopen();
      if (made === undefined) await isNothing(storage);
      assert.deepEqual(await exportUser(storage, made ?? (await importUser(storage, records))), records);
    });

    test('is complete or missing if the storage is cleared meanwhile', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await createFullAccount(bench));
      const clearing = async function* (): AsyncGenerator<UserRecord[]> {
        yield records.slice(0, -1);
        await storage.transfer.clear();
        yield records.slice(-1);
      };
      await storage.transfer.clear();
      const made = await storage.transfer.importUser(clearing()).catch(() => undefined);
      for await (const open of bench.nowAndReopened()) {
        if (made === undefined) await isNothing(open);
        else assert.deepEqual(await exportUser(open, made), records);
      }
    });

    for (const [what, other] of [
      ['name', { name: NAME.toUpperCase() }],
      ['e-mail address', { name: 'bob', email: EMAIL.toUpperCase() }],
      ['name, as an e-mail address,', { name: 'bob', email: NAME }],
    ] as const) {
      for (const when of ['before', 'while it was read'] as const) {
        test(`is refused if its ${what} was taken ${when}, and leaves nothing`, async (bench) => {
          const { storage } = bench;
          const records = await exportUser(storage, await createFullAccount(bench));
          await storage.transfer.clear();
          const take = () => storage.users.create({ ...other, passwordHash: 'hash' });
          const taking = async function* (): AsyncGenerator<UserRecord[]> {
            for await (const page of pagesOf(records)) {
              yield page;
              if (page.includes(records.at(-1)!)) await take();
            }
          };
          if (when === 'before') await take();
          const pages = when === 'before' ? pagesOf(records) : taking();
          await rejectsWith('conflict', storage.transfer.importUser(pages));
          for await (const open of bench.nowAndReopened()) {
            assert.deepEqual(await namesOf(open), [other.name]);
            const { id } = (await open.users.find(other.name))!;
            assert.deepEqual(await open.devices.all(id), []);
            assert.deepEqual(await open.podcasts.find([feed(1)]), [undefined]);
            assert.equal(await open.sessions.find(`${SECRET}-a`), undefined);
          }
        });
      }
    }

    test('concurrently with the same name creates one account', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await createFullAccount(bench));
      await storage.transfer.clear();
      const results = await Promise.allSettled([1, 2, 3].map(() => importUser(storage, records)));
      for (const result of results) {
        if (result.status === 'rejected') await rejectsWith('conflict', Promise.reject(result.reason as Error));
      }
      const [made, ...others] = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      assert.deepEqual(others, []);
      for await (const open of bench.nowAndReopened()) assert.deepEqual(await exportUser(open, made!), records);
    });

    test('requires the user as the first record', async (bench) => {
      const records = await exportUser(bench.storage, await createFullAccount(bench));
      await bench.storage.transfer.clear();
      for (const headless of [[], records.slice(1)]) {
        await rejectsWith('corrupt', importUser(bench.storage, headless));
      }
      await isNothing(bench.storage);
    });

    test('does not change the owner of an existing session', async (bench) => {
      const { storage } = bench;
      const alice = await createFullAccount(bench);
      const [first, ...records] = await exportUser(storage, alice);
      const copy = await importUser(storage, [
        { ...(first as object), name: 'copy', email: 'copy@example.org' } as UserRecord,
        ...records,
      ]);
      for await (const open of bench.nowAndReopened()) {
        assert.equal((await open.sessions.find(`${SECRET}-a`))?.user.id, alice);
        assert.deepEqual(await open.sessions.all(copy), []);
        assert.equal((await open.appPasswords.find(`${SECRET}-a`))?.user.id, alice);
        assert.deepEqual(await open.appPasswords.all(copy), []);
      }
    });

    test('can be removed like any other account', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await createFullAccount(bench));
      await storage.transfer.clear();
      await storage.users.delete(await importUser(storage, records));
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await namesOf(open), []);
        assert.deepEqual(await open.podcasts.top(10), []);
        assert.equal(await open.sessions.find(`${SECRET}-a`), undefined);
      }
    });
  });
};
