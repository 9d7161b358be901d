import { performance } from 'node:perf_hooks';
import { callUpload, upload } from '../client.mjs';
import { load, request, requests, seconds } from '../load.mjs';
import { alternate, median, thrice } from '../rounds.mjs';
import { openStorage } from '../storages.mjs';
import { formatNumber } from '../table.mjs';

const KINDS = ['json', 'sqlite', 'postgres'];
const NEXT_TO_JSON = { sqlite: 0.5, postgres: 0.15 };

/** One for each connection. */
const WRITERS = Array.from({ length: 16 }, (_, n) => `writer-${n}`);
const CROWD = Array.from({ length: 1000 }, (_, n) => `user-${n}`);
const [SMALL, FULL, LARGE] = ['small', 'full', 'large'];

const HISTORIES = {
  ...Object.fromEntries([...WRITERS, ...CROWD].map((user) => [user, 30])),
  [SMALL]: 1000,
  [FULL]: 100_000,
  [LARGE]: 1_000_000,
};

async function open() {
  const stages = {};
  for (const kind of KINDS) stages[kind] = await openStorage(kind, HISTORIES);
  return stages;
}

const close = (stages) => Promise.all(Object.values(stages).map((stage) => stage.close()));

const post = ({ server, cookieOf }, long) => {
  const next = (connection) => upload(WRITERS[connection], cookieOf(WRITERS[connection]));
  return load({ url: server.url, next, until: seconds(long) });
};

/** Reads changes since the last upload: there are none. */
async function createReader({ server, cookieOf }, user) {
  const { timestamp } = await callUpload(server, user, cookieOf(user));
  const text = request('GET', `/api/2/episodes/${user}.json?since=${timestamp}`, cookieOf(user));
  return (long) => load({ url: server.url, next: () => text, until: seconds(long) });
}

/** Uploads per second relative to JSON files. */
async function compareUploads(json, other) {
  await alternate(1, [() => post(json, 1), () => post(other, 1)]); // to warm up
  const rounds = await alternate(3, [() => post(json, 3), () => post(other, 3)]);
  const rate = (side) => formatNumber(median(rounds.map((round) => round[side].rate)));
  return {
    value: median(rounds.map(([left, right]) => right.rate / left.rate)),
    note: `${rate(1)}/s, JSON ${rate(0)}/s`,
  };
}

async function readNothingNew(stage) {
  const read = await createReader(stage, SMALL);
  await read(1);
  const { rate, p50, p99 } = await read(3);
  return { value: rate, note: `p50 ${formatNumber(p50)} ms, p99 ${formatNumber(p99)} ms` };
}

/** How many times longer a read takes with the large history. */
async function compareHistories(stage) {
  const [small, large] = [await createReader(stage, SMALL), await createReader(stage, LARGE)];
  await alternate(1, [() => small(1), () => large(1)]);
  const rounds = await alternate(5, [() => small(2), () => large(2)]);
  const rate = (side) => formatNumber(median(rounds.map((round) => round[side].rate)));
  return {
    value: median(rounds.map(([left, right]) => left.rate / right.rate)),
    note: `${rate(1)}/s, with 1,000 actions ${rate(0)}/s`,
  };
}

/** Time to read a whole history, in seconds. */
async function readAll({ server, cookieOf }) {
  const times = await thrice(async () => {
    const began = performance.now();
    const answer = await fetch(`${server.url}/api/2/episodes/${FULL}.json`, { headers: cookieOf(FULL) });
    let bytes = 0;
    for await (const chunk of answer.body) bytes += chunk.length;
    return { took: (performance.now() - began) / 1000, bytes };
  });
  const { peak } = await server.memory();
  const size = formatNumber(times[0].bytes / 2 ** 20);
  return {
    value: median(times.map(({ took }) => took)),
    note: `${size} MB; the server took ${formatNumber(peak)} MB at most`,
  };
}

/** 1,000 users, one after another, pull both deltas and upload 30 actions. */
async function syncInTurn({ server, cookieOf }) {
  const syncs = CROWD.flatMap((user) => [
    () => request('GET', `/api/2/subscriptions/${user}/phone.json?since=2000000000`, cookieOf(user)),
    () => request('GET', `/api/2/episodes/${user}.json?since=2000000000`, cookieOf(user)),
    () => upload(user, cookieOf(user)),
  ]);
  let turn = 0;
  const next = () => syncs[turn++ % syncs.length]();
  const { rate, p99 } = await load({ url: server.url, next, until: requests(2 * syncs.length) });
  return { value: rate / 3, note: `p99 of a request ${formatNumber(p99)} ms` };
}

const rowsOf = (kind) => [
  ...(kind === 'json'
    ? []
    : [
        {
          name: `POST of 30 new actions, ${kind} against json`,
          unit: 'x',
          bound: ['>=', NEXT_TO_JSON[kind]],
          measure: (stages) => compareUploads(stages.json, stages[kind]),
        },
      ]),
  { name: `since-read of nothing new, ${kind}`, unit: '/s', measure: (stages) => readNothingNew(stages[kind]) },
  {
    name: `the same with 1,000,000 actions against 1,000, ${kind}`,
    unit: 'x',
    ...(kind !== 'json' && { bound: ['<=', 1.5] }),
    measure: (stages) => compareHistories(stages[kind]),
  },
  { name: `100,000 actions read whole, ${kind}`, unit: 's', measure: (stages) => readAll(stages[kind]) },
  { name: `1,000 users syncing in turn, ${kind}`, unit: 'syncs/s', measure: (stages) => syncInTurn(stages[kind]) },
];

/** @type {import('../table.mjs').Suite} */
export default { name: 'storages', open, close, rows: KINDS.flatMap(rowsOf) };
