import postgres from '../../../../plugins/old/postgres/index.ts';
import { defineOldPlugin } from '../../../../src/old-plugin.ts';

/** The plugin as it is, but for the clock: it goes by the one that a test moves. */
export default defineOldPlugin({
  ...postgres,
  open: (options, context) => postgres.open({ ...options, now: context.now }, context),
});
