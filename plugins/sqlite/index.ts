import { resolve } from 'node:path';
import { definePlugin } from '../../src/plugin.ts';
import { openStore } from './store.ts';

/** One SQLite file: `sqlite:FILE`, relative to podsync's data folder; `sqlite` alone is `podsync.sqlite` there. */
export default definePlugin({
  name: 'sqlite',
  contract: 1,
  parse: (location) => ({ file: location === '' ? 'podsync.sqlite' : location }),
  open: ({ file }, { dataDir }) => openStore(resolve(dataDir, file)),
});
