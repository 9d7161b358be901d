import { once } from 'node:events';
import json from '../../dist/plugins/old/json/index.js';

/** JSON files; but whether there is an account is only told once the process was told to stop. */
export default {
  ...json,
  async open(options, context) {
    const storage = await json.open(options, context);
    return {
      ...storage,
      users: {
        ...storage.users,
        async find(login) {
          context.log('warn', 'an account is looked for');
          const alive = setInterval(() => undefined, 1000);
          await once(process, 'SIGINT');
          clearInterval(alive);
          return storage.users.find(login);
        },
      },
    };
  },
};
