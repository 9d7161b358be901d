import { expect, it } from 'vitest';
import type { UserId } from '../../src/domain/types.ts';
import { createIntegrityCheck } from '../../src/services/operations/integrity-check.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { Podcast, Storage, UserRecord } from '../../src/storage/stores.ts';
import { recordFeed } from '../podcasts.ts';
import { fillServer } from '../sample-account.ts';
import { openTestServer, type TestServer } from '../server.ts';

const FEED = 'http://example.org/feed';

const openFilled = async (): Promise<TestServer> => fillServer(await openTestServer());

const inspect = (storage: Pick<Storage, 'users' | 'podcasts' | 'transfer' | 'verify'>) =>
  createIntegrityCheck(storage).run(() => undefined);

/** The storage, with some functions of `podcasts` replaced. */
const withPodcasts = (storage: Storage, change: (podcast: Podcast) => Podcast | undefined) => ({
  ...storage,
  podcasts: {
    ...storage.podcasts,
    find: async (urls: readonly string[]) =>
      (await storage.podcasts.find(urls)).map((podcast) => podcast && change(podcast)),
  },
});

/** The storage, with the records of its first account replaced. */
const withAccount = (storage: Storage, exportUser: () => AsyncIterable<UserRecord[]>) => {
  const { transfer } = storage;
  let exported = 0;
  return {
    ...storage,
    transfer: { ...transfer, exportUser: (user: UserId) => (exported++ ? transfer.exportUser(user) : exportUser()) },
  };
};

it('counts all records, reports progress, and finds nothing wrong', async () => {
  const { storage } = await openFilled();
  const steps: [done: number, total: number, records: number][] = [];
  const report = await createIntegrityCheck(storage).run((...step) => steps.push(step));
  expect(report).toEqual({
    counts: {
      accounts: 2,
      devices: 8,
      subscriptions: 8,
      actions: 100,
      settings: 2,
      lists: 4,
      sessions: 2,
      podcasts: 4,
      episodes: 1,
    },
    findings: [],
  });
  expect([...new Set(steps.map(([done, total]) => `${done} of ${total}`))]).toEqual([
    '0 of 4',
    '1 of 4',
    '2 of 4',
    '3 of 4',
  ]);
  const records = steps.map(([, , each]) => each);
  expect(records).toEqual(records.toSorted((a, b) => a - b));
  expect(records.at(-1)).toBeGreaterThan(100); // only the actions
});

it('continues if the accounts cannot be listed', async () => {
  const { storage } = await openFilled();
  const problem = 'the file is damaged; restore it from a backup';
  const all = () => Promise.reject(new StorageError('corrupt', problem));
  const report = await inspect({ ...storage, users: { ...storage.users, all } });
  expect(report.findings).toEqual([{ where: 'storage', problem, isRepairable: false }]);
  expect(report.counts.podcasts).toBe(4);
});

it('reports what the storage finds wrong with itself', async () => {
  const { storage } = await openFilled();
  const problem = 'the file is damaged; restore it from a backup';
  const verify = () => Promise.reject(new StorageError('corrupt', problem));
  const { counts, findings } = await inspect({ ...storage, verify });
  expect(findings).toEqual([{ where: 'storage', problem, isRepairable: false }]);
  expect(counts).toMatchObject({ accounts: 2, podcasts: 4 });
});

it('follows a feed that has moved', async () => {
  const { storage } = await openFilled();
  await recordFeed(storage, FEED, {}, [], { movedTo: 'http://example.org/elsewhere' });
  expect((await inspect(storage)).findings).toEqual([]);
});

it('finds subscribers that are counted wrong', async () => {
  const { storage } = await openFilled();
  const isWrong = ({ url }: Podcast): boolean => url.includes('/feed') || url.includes('%C3%A4');
  const wrong = withPodcasts(storage, (each) =>
    isWrong(each) ? { ...each, subscribers: each.subscribers + 1 } : each,
  );
  expect((await inspect(wrong)).findings).toEqual([
    { where: 'directory', problem: 'the subscribers of 2 podcasts are counted incorrectly', isRepairable: true },
  ]);
});

it('finds podcasts with a subscriber that they do not have, however many podcasts there are', async () => {
  const { request, storage } = await openTestServer();
  const urls = Array.from({ length: 1001 }, (_, n) => `http://example.org/${n}`);
  const put = (body: readonly string[]) =>
    request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body });
  await put(urls);
  await put([]);
  const { counts, findings } = await inspect(storage);
  expect([counts.subscriptions, findings]).toEqual([0, []]);
  const wrong = withPodcasts(storage, (each) => ({ ...each, subscribers: 1 }));
  expect((await inspect(wrong)).findings).toEqual([
    { where: 'directory', problem: 'the subscribers of 1001 podcasts are counted incorrectly', isRepairable: true },
  ]);
});

it('does not report what changes meanwhile', async () => {
  const { storage } = await openFilled();
  const { transfer, users } = storage;
  const exportDirectory = async function* () {
    const { id } = (await users.find('bob'))!;
    await storage.subscriptions.apply(id, 'phone', [{ url: 'http://example.org/new', subscribed: true }]);
    await storage.subscriptions.replace(id, 'laptop', []);
    for (const { id: device } of await storage.devices.all(id)) await storage.subscriptions.replace(id, device, []);
    yield* transfer.exportDirectory();
  };
  expect((await inspect({ ...storage, transfer: { ...transfer, exportDirectory } })).findings).toEqual([]);
});

it('does not report a subscription that ends before its account is read', async () => {
  const { storage } = await openFilled();
  const { transfer } = storage;
  const exportUser = async function* (user: UserId) {
    for (const { id: device } of await storage.devices.all(user)) await storage.subscriptions.replace(user, device, []);
    yield* transfer.exportUser(user);
  };
  expect((await inspect({ ...storage, transfer: { ...transfer, exportUser } })).findings).toEqual([]);
});

it('names each account with a problem, and does not repeat it for the storage', async () => {
  const { storage } = await openFilled();
  const problem = 'the file is damaged; restore it from a backup';
  const fail = () => {
    throw new StorageError('corrupt', problem);
  };
  const verify = async (): Promise<void> => fail();
  const damaged = { ...storage, verify, transfer: { ...storage.transfer, exportUser: fail } };
  expect((await inspect(damaged)).findings).toEqual(
    ['account bob', 'account eve'].map((where) => ({ where, problem, isRepairable: false })),
  );
});

it.each<[string, () => AsyncIterable<UserRecord[]>, string]>([
  [
    'cannot be read',
    () => {
      throw new StorageError('corrupt', 'account.json is damaged');
    },
    'account.json is damaged',
  ],
  [
    'has invalid data',
    async function* () {
      yield [{ kind: 'group', devices: [7] } as unknown as UserRecord];
    },
    'it.devices[0] must be a string',
  ],
])('names an account that %s, and checks the others', async (_title, exportUser, problem) => {
  const { storage } = await openFilled();
  const { counts, findings } = await inspect(withAccount(storage, exportUser));
  expect(findings).toEqual([{ where: 'account bob', problem, isRepairable: false }]);
  expect(counts).toMatchObject({ actions: 50, podcasts: 4 });
});

it('skips feeds that are not in the directory yet', async () => {
  const { storage } = await openFilled();
  const { findings } = await inspect(withPodcasts(storage, () => undefined));
  expect(findings).toEqual([]);
});

it('skips an account that is deleted meanwhile, and rejects if the storage becomes unavailable', async () => {
  const { storage } = await openFilled();
  const failing = (code: 'missing' | 'unavailable') =>
    withAccount(storage, () => {
      throw new StorageError(code, 'it is unavailable');
    });
  expect((await inspect(failing('missing'))).counts.accounts).toBe(1);
  await expect(inspect(failing('unavailable'))).rejects.toThrow('it is unavailable');
});
