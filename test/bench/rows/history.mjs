import { callUpload, fill, logIn, upload } from '../client.mjs';
import { load, request, requests, seconds } from '../load.mjs';
import { alternate, median } from '../rounds.mjs';
import { createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

/** Uploads are measured in short rounds, each on another account, as they add to its 1,000 actions. */
const UPLOAD_ROUNDS = 9;
const UPLOADS = 100;

/** A warm server with these users, each with the given number of actions. */
async function openStore(users, stored) {
  const server = await startPodsync(await createData(['warm', ...users]));
  const cookies = new Map();
  for (const user of ['warm', ...users]) cookies.set(user, await logIn(server, user));
  await fill(server, 'warm', cookies.get('warm'), 30_000);
  for (const user of users) await fill(server, user, cookies.get(user), stored);
  return { server, users, cookies };
}

const SMALL_USERS = Array.from({ length: UPLOAD_ROUNDS }, (_, round) => `user-${round}`);
const open = async () => ({ small: await openStore(SMALL_USERS, 1000), large: await openStore(['user'], 100_000) });

const close = ({ small, large }) => Promise.all([small.server.stop(), large.server.stop()]);

/** How many times longer it takes with the large history. */
async function compare(count, sides) {
  const rounds = await alternate(count, sides);
  const rate = (side) => formatNumber(median(rounds.map((round) => round[side].rate)));
  return {
    value: median(rounds.map(([small, large]) => small.rate / large.rate)),
    note: `${rate(1)}/s, with 1,000 actions ${rate(0)}/s`,
  };
}

/** Reads changes since the last upload: there are none. */
async function createReader({ server, users: [user], cookies }) {
  const { timestamp } = await callUpload(server, user, cookies.get(user));
  const text = request('GET', `/api/2/episodes/${user}.json?since=${timestamp}`, cookies.get(user));
  return (long) => load({ url: server.url, next: () => text, until: seconds(long) });
}

const post = ({ server, cookies }, user) =>
  load({ url: server.url, next: () => upload(user, cookies.get(user)), until: requests(UPLOADS) });

/** @type {import('../table.mjs').Suite} */
export default {
  name: '100,000 actions against 1,000',
  open,
  close,
  rows: [
    {
      name: 'since-read without changes',
      unit: 'x',
      bound: ['<=', 1.3],
      measure: async ({ small, large }) => {
        const [readSmall, readLarge] = [await createReader(small), await createReader(large)];
        await alternate(1, [() => readSmall(1), () => readLarge(1)]); // to warm up
        return compare(3, [() => readSmall(2), () => readLarge(2)]);
      },
    },
    {
      name: 'POST of 30 new actions',
      unit: 'x',
      bound: ['<=', 1.3],
      measure: ({ small, large }) =>
        compare(UPLOAD_ROUNDS, [(round) => post(small, small.users[round]), () => post(large, large.users[0])]),
    },
  ],
};
