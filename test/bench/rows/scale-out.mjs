import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basic, call, logIn, upload } from '../client.mjs';
import { limit } from '../limit.mjs';
import { load, request, seconds } from '../load.mjs';
import { cpuOf, findPorts, missingPrograms } from '../processes.mjs';
import { startProxy } from '../proxy.mjs';
import { alternate, median } from '../rounds.mjs';
import { createData, PASSWORD, runPodsync, startPodsync } from '../server.mjs';
import { findPostmaster, startPostgres } from '../storages.mjs';
import { formatNumber } from '../table.mjs';

/*
 * Two servers behind HAProxy on one PostgreSQL, against one of them. The load generator, HAProxy, PostgreSQL and the
 * servers share this machine: on few cores two servers are not faster. So the processor time of each part is measured,
 * and the servers are also limited to a small share of a core, as if each had a slow machine of its own.
 */

const USERS = Array.from({ length: 16 }, (_, index) => `user-${index}`);
const FEEDS = Array.from({ length: 53 }, (_, index) => `https://feeds.example.org/show-${index}/feed.xml`);
const SHARE = 0.2;
const LIMITED = 'each with a fifth of a core';
/** Seconds of requests before the first round, and in a round. */
const WARMING = 5;
const ROUND = 4;

async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'podsync-proxy-'));
  const database = await startPostgres();
  const storage = ['--storage', database.url];
  const data = [await createData([]), await createData([])];
  for (const user of USERS) {
    await runPodsync(['user', 'add', user, '--password-stdin', '--data', data[0], ...storage], `${PASSWORD}\n`);
  }
  const servers = [];
  for (const each of data) servers.push(await startPodsync(each, [...storage, '--trust-proxy']));
  const [a, b, c, d] = await findPorts(4);
  const proxies = [
    await startProxy({ folder, port: a, primaryPort: b, nodes: [servers[0].url] }),
    await startProxy({ folder, port: c, primaryPort: d, nodes: servers.map(({ url }) => url) }),
  ];
  await Promise.all(proxies.map(untilAnswered));
  const clients = await Promise.all(USERS.map((user) => createClient(servers[0], user)));
  return { folder, database, postmaster: await findPostmaster(database.url), servers, proxies, clients };
}

async function untilAnswered({ url }) {
  while ((await fetch(`${url}/health`).catch(() => ({}))).status !== 200);
}

/** A user with 53 subscriptions, 3 of which are new to the client. */
async function createClient(server, user) {
  const cookie = await logIn(server, user);
  const path = `/api/2/subscriptions/${user}/phone.json`;
  const add = (urls) => call(server, path, basic(user), JSON.stringify({ add: urls, remove: [] }));
  const { timestamp } = await add(FEEDS.slice(3));
  await add(FEEDS.slice(0, 3));
  return { user, cookie, changes: request('GET', `${path}?since=${timestamp}`, cookie) };
}

async function close({ folder, database, servers, proxies }) {
  await Promise.all([...proxies, ...servers].map((each) => each.stop('SIGTERM')));
  await database.destroy();
  await rm(folder, { recursive: true });
}

/** Processor time of each part so far, in seconds. */
const measureParts = ({ postmaster, servers, proxies }) => ({
  podsync: servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
  PostgreSQL: cpuOf(postmaster),
  HAProxy: proxies.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
  'load generator': process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
});

async function compare(stage, next) {
  const run = async (proxy, duration) => {
    const before = measureParts(stage);
    const measured = await load({ url: proxy.url, next, until: seconds(duration) });
    const after = measureParts(stage);
    const parts = Object.keys(after).map((part) => [part, ((after[part] - before[part]) / measured.count) * 1000]);
    return { ...measured, parts: Object.fromEntries(parts) };
  };
  const sides = (duration) => stage.proxies.map((proxy) => () => run(proxy, duration));
  await alternate(1, sides(WARMING));
  const rounds = await alternate(3, sides(ROUND));
  const middle = (side, read) => formatNumber(median(rounds.map((round) => read(round[side]))));
  const describe = (side) => {
    const parts = Object.keys(rounds[0][side].parts).map(
      (part) => `${part} ${middle(side, ({ parts: all }) => all[part])}`,
    );
    const [rate, p50, p99] = ['rate', 'p50', 'p99'].map((key) => middle(side, (each) => each[key]));
    return `${rate}/s, p50 ${p50} ms, p99 ${p99} ms, ms of CPU per request: ${parts.join(', ')}`;
  };
  return {
    value: median(rounds.map(([one, two]) => two.rate / one.rate)),
    note: `one: ${describe(0)}; two: ${describe(1)}`,
  };
}

const compareUploads = (stage) =>
  compare(stage, (connection) => upload(stage.clients[connection].user, stage.clients[connection].cookie));
const compareReads = (stage) => compare(stage, (connection) => stage.clients[connection].changes);

/** The same after the servers were limited. */
const withLimit = (measure) => (stage) => {
  for (const { pid } of stage.servers) limit(pid, SHARE);
  return measure(stage);
};

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'two servers against one',
  isLong: true,
  whatIsMissing: () =>
    missingPrograms(['haproxy']).length === 0
      ? undefined
      : 'HAProxy is not installed; on Debian: apt-get install --no-install-recommends haproxy',
  open,
  close,
  rows: [
    { name: 'delta GET', unit: 'x', measure: compareReads },
    { name: 'POST of 30 new actions', unit: 'x', measure: compareUploads },
    // From here on, the servers remain limited.
    { name: `delta GET, ${LIMITED}`, unit: 'x', measure: withLimit(compareReads) },
    { name: `POST of 30 new actions, ${LIMITED}`, unit: 'x', measure: withLimit(compareUploads) },
  ],
};
