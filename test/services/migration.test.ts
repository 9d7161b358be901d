import { expect, it } from 'vitest';
import { migrate } from '../../src/services/transfer/migration.ts';
import type { Storage, UserRecord } from '../../src/storage/stores.ts';
import { fillServer } from '../sample-account.ts';
import { openTestServer, type TestServer } from '../server.ts';

const never = new AbortController().signal;

const openFilled = async (): Promise<TestServer> => fillServer(await openTestServer());

const openEmpty = (): Promise<TestServer> => openTestServer({ users: [] });

const backUp = async ({ services }: TestServer): Promise<string> => {
  let text = '';
  for await (const chunk of (await services.transfer.export({ users: [], passwords: true })).text) text += chunk;
  return text;
};

const move = (from: TestServer, to: Pick<Storage, 'users' | 'podcasts' | 'transfer'>, signal = never) =>
  migrate(from.storage, to, { progress: () => undefined, signal });

it('copies everything, counts it, and reports progress', async () => {
  const [from, to] = [await openFilled(), await openEmpty()];
  const steps: [done: number, total: number, records: number][] = [];
  const progress = (...step: (typeof steps)[number]): void => void steps.push(step);
  const counts = await migrate(from.storage, to.storage, { progress, signal: never });
  expect(counts).toMatchObject({ accounts: 2, devices: 8, actions: 100, lists: 4, podcasts: 4, episodes: 1 });
  expect(await backUp(to)).toBe(await backUp(from));
  expect([...new Set(steps.map(([done, total]) => `${done} of ${total}`))]).toEqual(
    [0, 1, 2, 3, 4, 5].map((done) => `${done} of 6`),
  );
  const records = steps.map(([, , each]) => each);
  expect(records).toEqual(records.toSorted((a, b) => a - b));
  const lines = (await backUp(from)).trimEnd().split('\n').length - 2; // without the first and the last
  expect(records.at(-1), 'copied and compared').toBe(2 * lines);
});

it('refuses a target that is not empty, and does not change it', async () => {
  const [from, to] = [await openFilled(), await openTestServer({ users: ['mallory'] })];
  const before = await backUp(to);
  await expect(move(from, to.storage)).rejects.toThrow(
    /^the target is not empty; choose a new one, or, if it is the incomplete copy .* killed, delete it first$/,
  );
  expect(await backUp(to)).toBe(before);
});

it('refuses a target that has no accounts any more, but a directory', async () => {
  const [from, to] = [await openFilled(), await openFilled()];
  for (const name of ['bob', 'eve']) await to.services.administration.remove(name);
  const before = await backUp(to);
  expect(before).toContain('"kind":"podcast"');
  await expect(move(from, to.storage)).rejects.toThrow(/^the target is not empty/);
  expect(await backUp(to)).toBe(before);
});

it('refuses a source without accounts, whose name may be misspelled', async () => {
  const [from, to] = [await openEmpty(), await openEmpty()];
  await expect(move(from, to.storage)).rejects.toThrow(/the source has no accounts/);
});

const HALF_WAY = 'the disk is full';

it.each<[string, (storage: Storage) => Partial<Storage['transfer']>, RegExp]>([
  [
    'an account cannot be stored',
    ({ transfer }) => ({ importUser: failAtSecond(transfer.importUser) }),
    /disk is full/,
  ],
  [
    'the directory cannot be stored',
    () => ({ importDirectory: () => Promise.reject(new Error(HALF_WAY)) }),
    /disk is full/,
  ],
  [
    'the copy of an account lacks something',
    ({ transfer }) => ({ exportUser: (user) => without('settings', transfer.exportUser(user)) }),
    /the copy of the account bob differs from the original/,
  ],
  [
    'the copy of the directory has something else',
    ({ transfer }) => ({ exportDirectory: () => without('tag', transfer.exportDirectory()) }),
    /the copy of the directory differs from the original/,
  ],
])('leaves the target empty when %s', async (_title, change, says) => {
  const [from, to] = [await openFilled(), await openEmpty()];
  const { users, podcasts, transfer } = to.storage;
  const empty = await backUp(to);
  const before = await backUp(from);
  await expect(move(from, { users, podcasts, transfer: { ...transfer, ...change(to.storage) } })).rejects.toThrow(says);
  expect(await backUp(to)).toBe(empty);
  expect(await backUp(from)).toBe(before);
});

it('leaves the target empty when it is aborted', async () => {
  const [from, to] = [await openFilled(), await openEmpty()];
  const empty = await backUp(to);
  const stop = new AbortController();
  const progress = (done: number): void => {
    if (done === 1) stop.abort(new Error('stopped'));
  };
  await expect(migrate(from.storage, to.storage, { progress, signal: stop.signal })).rejects.toThrow('stopped');
  expect(await backUp(to)).toBe(empty);
});

it('stops in the middle of an account when it is aborted', async () => {
  const [from, to] = [await openFilled(), await openEmpty()];
  const { users, podcasts, transfer } = from.storage;
  let read = 0;
  const exportUser: typeof transfer.exportUser = async function* (user) {
    for await (const page of transfer.exportUser(user)) {
      for (const record of page) {
        read += 1;
        yield [record];
      }
    }
  };
  const stop = new AbortController();
  const progress = (_done: number, _total: number, records: number): void => {
    if (records === 1) stop.abort(new Error('stopped'));
  };
  const source = { users, podcasts, transfer: { ...transfer, exportUser } };
  await expect(migrate(source, to.storage, { progress, signal: stop.signal })).rejects.toThrow('stopped');
  expect(read).toBe(2);
});

it('stops reading a copy at the first difference, before it is deleted', async () => {
  const [from, to] = [await openFilled(), await openEmpty()];
  const { users, podcasts, transfer } = to.storage;
  const steps: string[] = [];
  const exportUser: typeof transfer.exportUser = async function* (user) {
    try {
      for await (const page of without('user', transfer.exportUser(user))) yield page;
      steps.push('read to its end');
    } finally {
      steps.push('closed');
    }
  };
  const clear = (): Promise<void> => {
    steps.push('deleted');
    return transfer.clear();
  };
  const target = { users, podcasts, transfer: { ...transfer, exportUser, clear } };
  await expect(move(from, target)).rejects.toThrow('differs from the original');
  expect(steps).toEqual(['closed', 'deleted']);
});

function failAtSecond(importUser: Storage['transfer']['importUser']): Storage['transfer']['importUser'] {
  let imported = 0;
  return (records) => (imported++ ? Promise.reject(new Error(HALF_WAY)) : importUser(records));
}

async function* without<Item extends { kind: string }>(kind: string, pages: AsyncIterable<Item[]>) {
  for await (const page of pages) yield page.filter((record) => record.kind !== kind) as Item[] & UserRecord[];
}
