import { once } from 'node:events';
import json from '../../dist/plugins/old/json/index.js';

/** JSON files; but an account goes in, and most of it goes out, only once the process was told to stop. */
export default {
  ...json,
  async open(options, context) {
    const storage = await json.open(options, context);
    const { transfer } = storage;
    const untilToldToStop = async () => {
      context.log('warn', 'an account is on its way');
      const alive = setInterval(() => undefined, 1000);
      await once(process, 'SIGINT');
      clearInterval(alive);
    };
    return {
      ...storage,
      transfer: {
        ...transfer,
        async importUser(records) {
          await untilToldToStop();
          return transfer.importUser(records);
        },
        async *exportUser(user) {
          let pages = 0;
          for await (const page of transfer.exportUser(user)) {
            if (pages++ === 10) await untilToldToStop();
            yield page;
          }
        },
      },
    };
  },
};
