import { basic, call, callUpload, logIn, upload } from '../client.mjs';
import { load, request, seconds } from '../load.mjs';
import { alternate, median } from '../rounds.mjs';
import { createData, startBare, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

const USERS = Array.from({ length: 16 }, (_, index) => `user-${index}`);
const FEEDS = Array.from({ length: 53 }, (_, index) => `https://feeds.example.org/show-${index}/feed.xml`);
const add = (urls) => JSON.stringify({ add: urls, remove: [] });
const changesPath = (user) => `/api/2/subscriptions/${user}/phone.json`;

/** A user for each connection, each with 53 subscriptions, 3 of which are new to the client. */
async function open() {
  const podsync = await startPodsync(await createData(USERS));
  const clients = await Promise.all(
    USERS.map(async (user) => {
      const cookie = await logIn(podsync, user);
      const { timestamp } = await call(podsync, changesPath(user), cookie, add(FEEDS.slice(3)));
      await call(podsync, changesPath(user), cookie, add(FEEDS.slice(0, 3)));
      return { user, cookie, basic: basic(user), changes: `${changesPath(user)}?since=${timestamp}` };
    }),
  );
  const [{ user, cookie, changes }] = clients;
  const bare = await startBare([
    { method: 'GET', path: '/api/2/subscriptions/:user/:device', answer: await call(podsync, changes, cookie) },
    { method: 'POST', path: '/api/2/episodes/:user', answer: await callUpload(podsync, user, cookie) },
  ]);
  return { podsync, bare, clients };
}

const close = ({ podsync, bare }) => Promise.all([podsync.stop(), bare.stop()]);

/** Seconds of requests until V8 has compiled their code: before that, uploads take a fifth longer. */
const WARMING = 6;

/** Requests per second of podsync relative to the bare route, both warm. */
async function compare({ podsync, bare }, next) {
  const run = (server, long) => load({ url: server.url, next, until: seconds(long) });
  await alternate(1, [() => run(bare, WARMING), () => run(podsync, WARMING)]);
  const rounds = await alternate(3, [() => run(bare, 2), () => run(podsync, 2)]);
  const middle = (side, key) => formatNumber(median(rounds.map((round) => round[side][key])));
  return {
    value: median(rounds.map(([left, right]) => right.rate / left.rate)),
    note: `${middle(1, 'rate')}/s of ${middle(0, 'rate')}/s, p99 ${middle(1, 'p99')} ms of ${middle(0, 'p99')} ms`,
  };
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'against a bare h3 route',
  open,
  close,
  rows: [
    {
      name: 'delta GET by cookie',
      unit: 'x',
      bound: ['>=', 0.6],
      measure: (stage) => {
        const texts = stage.clients.map(({ changes, cookie }) => request('GET', changes, cookie));
        return compare(stage, (connection) => texts[connection]);
      },
    },
    {
      name: 'delta GET by Basic',
      unit: 'x',
      bound: ['>=', 0.5],
      measure: (stage) => {
        const texts = stage.clients.map((client) => request('GET', client.changes, client.basic));
        return compare(stage, (connection) => texts[connection]);
      },
    },
    {
      name: 'POST of 30 new actions, durable',
      unit: 'x',
      bound: ['>=', 0.4],
      measure: (stage) =>
        compare(stage, (connection) => upload(stage.clients[connection].user, stage.clients[connection].cookie)),
    },
    {
      name: 'the same, all by one user',
      unit: 'x',
      measure: (stage) => compare(stage, () => upload(stage.clients[0].user, stage.clients[0].cookie)),
    },
  ],
};
