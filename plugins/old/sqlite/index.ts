import { defineOldPlugin } from '../../../src/old-plugin.ts';
import { openInThread } from './in-thread.ts';

/** One SQLite file: `sqlite:FILE`, from podsync's data folder on; `sqlite` alone is `podsync.sqlite` there. */
export default defineOldPlugin({
  name: 'sqlite',
  contract: 1,
  parse: (location) => ({ file: location === '' ? 'podsync.sqlite' : location }),
  open: ({ file }, context) => openInThread(file, context),
});
