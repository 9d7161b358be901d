import { once } from 'node:events';
import json from '../../dist/plugins/json/index.js';
import { wrap } from './wrapped-store.js';

/** JSON files; but actions are stored, and most of them are read, only once the process was told to stop. */
export default {
  ...json,
  async open(options, context) {
    const store = await json.open(options, context);
    let isStopped;
    const untilToldToStop = () =>
      (isStopped ??= (async () => {
        context.log('warn', 'an account is on its way');
        const alive = setInterval(() => undefined, 1000);
        await once(process, 'SIGINT');
        clearInterval(alive);
      })());
    let pages = 0;
    return {
      ...wrap(store),
      async commit(batch) {
        if (batch.set?.some(([key]) => key.startsWith('l/'))) await untilToldToStop();
        return store.commit(batch);
      },
      async list(range) {
        if (range.from.startsWith('l/') && pages++ === 3) await untilToldToStop();
        return store.list(range);
      },
    };
  },
};
