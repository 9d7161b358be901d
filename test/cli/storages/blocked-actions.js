import { once } from 'node:events';
import json from '../../../dist/plugins/json/index.js';
import { wrap } from './wrapped-store.js';

/** JSON files, but storing actions, and reading most of them, does not return before SIGINT. */
export default {
  ...json,
  async open(options, context) {
    const store = await json.open(options, context);
    let interrupted;
    const untilInterrupted = () =>
      (interrupted ??= (async () => {
        context.log('warn', 'transferring an account');
        const alive = setInterval(() => undefined, 1000);
        await once(process, 'SIGINT');
        clearInterval(alive);
      })());
    let pages = 0;
    return {
      ...wrap(store),
      async commit(batch) {
        if (batch.set?.some(([key]) => key.startsWith('l/'))) await untilInterrupted();
        return store.commit(batch);
      },
      async list(range) {
        if (range.from.startsWith('l/') && pages++ === 2) await untilInterrupted();
        return store.list(range);
      },
    };
  },
};
