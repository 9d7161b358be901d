import { once } from 'node:events';
import json from '../../../dist/plugins/json/index.js';
import { wrap } from './wrapped-store.js';

/** JSON files, but looking up an account does not return before SIGINT. */
export default {
  ...json,
  async open(options, context) {
    const store = await json.open(options, context);
    return {
      ...wrap(store),
      async get(keys) {
        if (keys.some((key) => key.startsWith('n/'))) {
          context.log('warn', 'looking up an account');
          const alive = setInterval(() => undefined, 1000);
          await once(process, 'SIGINT');
          clearInterval(alive);
        }
        return store.get(keys);
      },
    };
  },
};
