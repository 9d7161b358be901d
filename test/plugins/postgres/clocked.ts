import postgres from '../../../plugins/postgres/index.ts';
import { definePlugin } from '../../../src/plugin.ts';

/** The plugin as it is, but for the clock: it goes by the one that a test moves. */
export default definePlugin({
  ...postgres,
  open: (options, context) => postgres.open({ ...options, now: context.now }, context),
});
