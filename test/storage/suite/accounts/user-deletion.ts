import assert from 'node:assert/strict';
import type { NewUser, Storage } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { rejectsWith } from '../expectations.ts';
import { action, add, addUser, feed, readActions, session } from '../samples.ts';

export const userDeletionTests: Suite = ({ test }) => {
  test('leaves no data for a new user with the same name and e-mail address', async ({ storage, nowAndReopened }) => {
    const alice = await createFullUser(storage, 'alice');
    const { id } = (await storage.users.find('alice'))!;
    await storage.users.delete(id);
    assert.equal(await storage.users.find('alice'), undefined);
    assert.equal(await storage.users.find('alice@example.org'), undefined);
    assert.deepEqual(await storage.users.all(), []);

    const next = await storage.users.create({ ...alice, passwordHash: 'new hash' });
    for await (const open of nowAndReopened()) {
      assert.deepEqual(await open.users.find('alice'), next);
      assert.deepEqual(await readAccount(open, 'alice'), NOTHING);
    }
  });

  test('does not affect others', async ({ storage, reopen }) => {
    await createFullUser(storage, 'alice');
    await createFullUser(storage, 'bob');
    const before = await readAccount(storage, 'bob');
    await storage.users.delete((await storage.users.find('alice'))!.id);
    assert.deepEqual(await readAccount(storage, 'bob'), before);
    assert.deepEqual(await readAccount(await reopen(), 'bob'), before);
  });

  test('makes later writes for the user reject with `missing`', async ({ storage }) => {
    const alice = await addUser(storage);
    await storage.users.delete(alice);
    await rejectsWith('missing', storage.devices.save(alice, 'phone', {}));
    await rejectsWith('missing', storage.subscriptions.apply(alice, 'phone', add(feed(1))));
    await rejectsWith('missing', storage.subscriptions.replace(alice, 'phone', [feed(1)]));
    await rejectsWith('missing', storage.actions.append(alice, [action(1)]));
    await rejectsWith('missing', storage.devices.synchronize(alice, [], []));
    await rejectsWith(
      'missing',
      storage.settings.update(alice, { kind: 'account' }, { set: {}, remove: [], limit: 1 }),
    );
    await rejectsWith('missing', storage.lists.create(alice, { name: 'news', title: 'News', urls: [] }));
    await rejectsWith(
      'missing',
      storage.lists.update(alice, 'news', () => ({ urls: [] })),
    );
    await rejectsWith('missing', storage.lists.delete(alice, 'news'));
    await rejectsWith('missing', storage.sessions.save(session(alice, 'late', 4_000_000_000)));
    await rejectsWith('missing', storage.users.update(alice, { passwordHash: 'new hash' }));
    await rejectsWith('missing', storage.users.update(alice, { name: 'carol' }));
    assert.equal(await storage.users.find('alice'), undefined);
  });

  test('again has no effect, nor does ending the sessions', async ({ storage }) => {
    const alice = await addUser(storage);
    await storage.users.delete(alice);
    await storage.users.delete(alice);
    assert.equal(await storage.sessions.endAll(alice), 0);
  });
};

/** One of everything for a user. */
async function createFullUser(storage: Storage, name: string): Promise<NewUser> {
  const user: NewUser = { name, email: `${name}@example.org`, passwordHash: `hash of ${name}` };
  const { id } = await storage.users.create(user);
  await storage.devices.save(id, 'phone', { caption: `phone of ${name}`, type: 'mobile' });
  await storage.subscriptions.apply(id, 'phone', add(feed(1), feed(2)));
  await storage.actions.append(id, [action(1, { device: 'phone' }), action(2)]);
  await storage.devices.save(id, 'tv', {});
  await storage.devices.synchronize(id, [['phone', 'tv']], []);
  const favorite = { set: { favorite: name }, remove: [], limit: 10 };
  await storage.settings.update(id, { kind: 'account' }, favorite);
  await storage.lists.create(id, { name: 'news', title: `News of ${name}`, urls: [feed(1)] });
  await storage.sessions.save(session(id, name, 4_000_000_000));
  return user;
}

const NOTHING = {
  devices: [],
  urls: [],
  changes: [],
  actions: [],
  groups: [],
  settings: {},
  favorites: [],
  lists: [],
  list: undefined,
  session: undefined,
};

/** All data of the user with this name. */
async function readAccount(storage: Storage, name: string): Promise<object> {
  const { id } = (await storage.users.find(name))!;
  return {
    devices: await storage.devices.all(id),
    urls: await storage.subscriptions.current(id),
    changes: (await storage.subscriptions.since(id, 'phone', 0)).items,
    actions: await readActions(storage, id),
    groups: await storage.devices.groups(id),
    settings: await storage.settings.get(id, { kind: 'account' }),
    favorites: await storage.settings.withKey(id, 'account', 'favorite'),
    lists: await storage.lists.all(id),
    list: await storage.lists.find(id, 'news'),
    session: await storage.sessions.find(session(id, name, 0).digest),
  };
}
