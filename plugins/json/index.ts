import { resolve } from 'node:path';
import { definePlugin } from '../../src/plugin.ts';
import { openStore } from './store.ts';

/** JSON files in a folder: `json` for podsync's data folder, `json:FOLDER` for another one. */
export default definePlugin({
  name: 'json',
  contract: 1,
  parse: (location) => ({ folder: location }),
  open: ({ folder }, context) => openStore(resolve(context.dataDir, folder), context.log),
});
