import { fill, logIn } from '../client.mjs';
import { median, thrice } from '../rounds.mjs';
import { createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

/** Resident megabytes of a new server after `work`. */
async function measureMemory(work) {
  const rounds = await thrice(async () => {
    const server = await startPodsync(await createData(['user']));
    try {
      await work(server, await logIn(server, 'user'));
      return await server.memory();
    } finally {
      await server.stop();
    }
  });
  return {
    value: median(rounds.map(({ rss }) => rss)),
    note: `${formatNumber(median(rounds.map(({ peak }) => peak)))} MB at most`,
  };
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'resident memory',
  open: async () => undefined,
  close: async () => undefined,
  rows: [
    { name: 'idle', unit: 'MB', bound: ['<', 120], measure: () => measureMemory(async () => undefined) },
    {
      name: 'after 100,000 uploaded actions',
      unit: 'MB',
      bound: ['<', 250],
      measure: () => measureMemory((server, cookie) => fill(server, 'user', cookie, 100_000)),
    },
  ],
};
