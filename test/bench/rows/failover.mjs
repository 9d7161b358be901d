import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn } from '../client.mjs';
import { startCluster, whatIsMissing } from '../cluster.mjs';
import { median } from '../rounds.mjs';
import { createData, PASSWORD, runPodsync, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

/*
 * Kills the primary of a replicated PostgreSQL again and again, while apps upload and download through HAProxy and two
 * servers of podsync. This is about safety: it needs no quiet machine.
 */

const KILLS = 10;
const USERS = 8;
/** Actions of an upload. */
const ACTIONS = 3;
/** Milliseconds of load between the kills, and pauses of each app after an answer, and after a refusal. */
const LOAD = 3000;
const PAUSE = 20;
const RETRY = 200;
/** Until HAProxy has found the primary: at first it takes all servers for primaries. */
const SEARCH = 6000;

const open = async () => ({ cluster: await startCluster(), results: {} });

/** An app that uploads, and another one of the same user that downloads what is new. */
class Client {
  /** Episodes of uploads that were answered with 200, and those that were downloaded as news. */
  answered = new Set();
  received = new Set();
  #since = 0;
  #uploads = 0;

  constructor(url, user, cookie, report) {
    Object.assign(this, { url, user, cookie, report });
  }

  /** Uploads new actions until it is over. */
  async upload(isOver) {
    while (!isOver()) {
      const upload = (this.#uploads += 1);
      const actions = Array.from({ length: ACTIONS }, (_, n) => ({
        podcast: `https://feeds.example.org/show-${upload % 40}/feed.xml`,
        episode: `https://media.example.org/${this.user}/${upload}-${n}.mp3`,
        action: 'download',
        timestamp: '2025-01-01T00:00:00',
      }));
      const isStored = (await this.#ask('POST', JSON.stringify(actions))) !== undefined;
      if (isStored) for (const { episode } of actions) this.answered.add(episode);
      await sleep(isStored ? PAUSE : RETRY);
    }
  }

  /** Downloads until it is over, and then what is left. */
  async download(isOver) {
    for (;;) {
      const isLast = isOver();
      const answer = await this.#ask('GET', undefined, `?since=${this.#since}`);
      if (answer) {
        this.#since = answer.timestamp;
        for (const { episode } of answer.actions) this.received.add(episode);
        if (isLast) return;
      }
      await sleep(answer ? 5 * PAUSE : RETRY);
    }
  }

  /** The answer, or undefined if the request was refused. */
  async #ask(method, body, query = '') {
    const sent = performance.now();
    let status = 'no answer';
    let answer;
    try {
      const response = await fetch(`${this.url}/api/2/episodes/${this.user}.json${query}`, {
        method,
        body,
        headers: this.cookie,
      });
      status =
        response.status === 503 && !response.headers.has('retry-after') ? '503 without Retry-After' : response.status;
      answer = await response.json();
    } catch {
      // the connection broke
    }
    this.report({ method, sent, answered: performance.now(), status });
    return status === 200 ? answer : undefined;
  }
}

/** Kills the primary while apps use two servers with this storage. */
async function killRepeatedly(cluster, storage, name) {
  const users = Array.from({ length: USERS }, (_, n) => `${name}-${n}`);
  const options = ['--storage', storage, '--trust-proxy'];
  await cluster.startProxy([]); // a way to the database
  await sleep(SEARCH);
  const data = [await createData([]), await createData([])];
  for (const user of users) {
    const add = ['user', 'add', user, '--password-stdin', '--data', data[0], '--storage', storage];
    await runPodsync(add, `${PASSWORD}\n`);
  }
  const nodes = await Promise.all(data.map((folder) => startPodsync(folder, options)));
  const url = await cluster.startProxy(nodes.map((node) => node.url));
  await sleep(SEARCH);
  await untilAnswered(url);

  const requests = [];
  const clients = await Promise.all(
    users.map(async (user) => new Client(url, user, await logIn({ url }, user), (request) => requests.push(request))),
  );
  let [isOver, isUploaded] = [false, false];
  const uploads = Promise.all(clients.map((client) => client.upload(() => isOver)));
  const downloads = Promise.all(clients.map((client) => client.download(() => isUploaded)));
  const outages = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await sleep(LOAD);
    const primary = await cluster.leader();
    const killed = performance.now();
    const before = requests.length;
    await cluster.kill(primary);
    const isBack = ({ method, sent, status }) => method === 'POST' && sent > killed && status === 200;
    while (!requests.slice(before).some(isBack)) await sleep(50);
    const after = requests.slice(before);
    const refused = after.filter(({ status }) => status !== 200).map(({ answered }) => answered);
    outages.push({
      writes: (after.find(isBack).answered - killed) / 1000,
      refusals: refused.length === 0 ? 0 : (Math.max(...refused) - Math.min(...refused)) / 1000,
    });
    console.error(`  ${kill}. ${primary}: no write for ${formatNumber(outages.at(-1).writes)} s`);
    cluster.start(primary);
    await cluster.untilHealthy();
  }
  isOver = true;
  await uploads;
  isUploaded = true;
  await downloads;

  let [lost, missed, answered] = [0, 0, 0];
  for (const [n, client] of clients.entries()) {
    const path = `/api/2/episodes/${client.user}.json`;
    const answer = await fetch(nodes[n % 2].url + path, { headers: client.cookie });
    const stored = (await answer.json()).actions.map(({ episode }) => episode);
    const all = new Set(stored);
    if (all.size !== stored.length) throw new Error('actions are stored twice');
    answered += client.answered.size / ACTIONS;
    lost += countMissing(client.answered, all);
    missed += countMissing(client.answered, client.received);
  }
  await Promise.all(nodes.map((node) => node.stop()));
  const result = { outages, requests, answered, lost, missed };
  console.error(`  ${lost} actions lost; ${describe(result)}`);
  return result;
}

const countMissing = (wanted, found) => [...wanted].filter((each) => !found.has(each)).length;

async function untilAnswered(url) {
  while ((await fetch(`${url}/health`).catch(() => ({}))).status !== 200) await sleep(100);
}

function describe({ outages, requests, answered, missed }) {
  const range = (key) => {
    const values = outages.map((outage) => outage[key]);
    return `${formatNumber(median(values))} s, at most ${formatNumber(Math.max(...values))} s`;
  };
  const counts = new Map();
  for (const { status } of requests) counts.set(status, 1 + (counts.get(status) ?? 0));
  return [
    `${answered} uploads answered`,
    `${missed} actions not downloaded as news`,
    `no write for ${range('writes')}`,
    `refusals during ${range('refusals')}`,
    [...counts].map(([status, count]) => `${count} x ${status}`).join(', '),
  ].join('; ');
}

/** How podsync finds the primary: a name for accounts, and what `--storage` is. */
const WAYS = {
  'three hosts in the URL': ['hosts', ({ url }) => url],
  'HAProxy before the database': ['proxy', ({ proxyUrl }) => proxyUrl],
};

const rowsOf = (way) => {
  const [name, storageOf] = WAYS[way];
  const run = ({ cluster, results }) => (results[way] ??= killRepeatedly(cluster, storageOf(cluster), name));
  return [
    {
      name: `actions of answered uploads that were lost or not downloaded, ${way}`,
      unit: `after ${KILLS} kills`,
      bound: ['<=', 0],
      async measure(stage) {
        const result = await run(stage);
        return { value: result.lost + result.missed, note: describe(result) };
      },
    },
    {
      name: `answers other than 200 and 503 with Retry-After, ${way}`,
      unit: '',
      bound: ['<=', 0],
      async measure(stage) {
        const { requests } = await run(stage);
        const others = requests.filter(({ status }) => status !== 200 && status !== 503);
        return { value: others.length, note: [...new Set(others.map(({ status }) => status))].join(', ') };
      },
    },
    {
      name: `longest time without an answered upload, ${way}`,
      unit: 's',
      bound: ['<=', 60],
      async measure(stage) {
        const { outages } = await run(stage);
        return { value: Math.max(...outages.map(({ writes }) => writes)), note: '' };
      },
    },
  ];
};

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'failover',
  isLong: true,
  whatIsMissing,
  open,
  close: ({ cluster }) => cluster.destroy(),
  rows: Object.keys(WAYS).flatMap(rowsOf),
};
