import { basic, call, logIn, upload } from '../client.mjs';
import { load, request, seconds } from '../load.mjs';
import { cpuOf } from '../processes.mjs';
import { alternate, median } from '../rounds.mjs';
import { createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

const USERS = Array.from({ length: 16 }, (_, index) => `user-${index}`);
const FEEDS = Array.from({ length: 50 }, (_, index) => `https://feeds.example.org/show-${index}/feed.xml`);

/** Two servers that differ only in their options. */
async function open() {
  const sides = [];
  for (const options of [[], ['--metrics', '--metrics-allow', '127.0.0.1']]) {
    const server = await startPodsync(await createData(USERS), options);
    const clients = await Promise.all(USERS.map((user) => createClient(server, user)));
    sides.push({ server, clients });
  }
  return sides;
}

/** A user whose tablet asks for the one of 51 subscriptions that is new to it. */
async function createClient(server, user) {
  const cookie = await logIn(server, user);
  const path = `/api/2/subscriptions/${user}/phone.json`;
  const add = (urls) => call(server, path, basic(user), JSON.stringify({ add: urls, remove: [] }));
  const { timestamp } = await add(FEEDS);
  await add(['https://feeds.example.org/new/feed.xml']);
  return { user, cookie, changes: request('GET', `${path}?since=${timestamp}`, cookie) };
}

/** Processor time of a request with metrics, relative to one without. */
async function compare(sides, next) {
  const run = async ({ server, clients }, duration) => {
    const before = cpuOf(server.pid);
    const { rate, count } = await load({ url: server.url, next: (n) => next(clients[n]), until: seconds(duration) });
    return { rate, cpu: ((cpuOf(server.pid) - before) / count) * 1000 };
  };
  const both = (duration) => sides.map((side) => () => run(side, duration));
  await alternate(1, both(6));
  const rounds = await alternate(5, both(2));
  const middle = (side, key) => formatNumber(median(rounds.map((round) => round[side][key])));
  return {
    value: median(rounds.map(([without, withMetrics]) => withMetrics.cpu / without.cpu)),
    note: `${middle(1, 'cpu')} ms of CPU after ${middle(0, 'cpu')} ms, ${middle(1, 'rate')}/s after ${middle(0, 'rate')}/s`,
  };
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'with --metrics against without',
  open,
  close: (sides) => Promise.all(sides.map(({ server }) => server.stop())),
  rows: [
    {
      name: 'CPU of a delta GET',
      unit: 'x',
      measure: (sides) => compare(sides, ({ changes }) => changes),
    },
    {
      name: 'CPU of a POST of 30 new actions',
      unit: 'x',
      measure: (sides) => compare(sides, ({ user, cookie }) => upload(user, cookie)),
    },
  ],
};
