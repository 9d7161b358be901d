import { expect, it } from 'vitest';
import { createPasswordLinks } from '../../src/services/accounts/password-links.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { Cluster } from '../storage/nodes.ts';

const CHOSEN = { name: 'ann', password: 'new pass phrase' };

it.each([0, 1])(
  'a link works until both the name and the password are stored: disk full after %i writes',
  async (most) => {
    const cluster = new Cluster();
    const { storage, store } = await cluster.open(false);
    const links = createPasswordLinks(storage, { hash: async (password) => `hash of ${password}` }, cluster.now);
    const { token } = await links.invite({});
    let writes = 0;
    store.before = (call) => {
      if (call === 'commit' && writes++ >= most) throw new StorageError('full', 'no space left');
    };
    const isUsed = await links.use(token, CHOSEN).then(
      () => true,
      () => false,
    );
    store.before = undefined;
    if (!isUsed) await links.use(token, CHOSEN);
    expect((await storage.users.find('ann'))?.passwordHash).toBe('hash of new pass phrase');
  },
);
