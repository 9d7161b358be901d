import postgres from 'postgres';
import { load, request, requests } from '../load.mjs';
import { cpuOf } from '../processes.mjs';
import { median } from '../rounds.mjs';
import { createStorage, findPostmaster } from '../storages.mjs';
import { formatNumber } from '../table.mjs';

/*
 * What users cost: bytes on disk, operations of the storage, processor time, memory. A user has 2 devices with the same
 * 10 subscriptions. On a day the phone uploads 20 times 3 actions; after each upload the tablet asks 5 times: once it
 * receives the actions, 2 times there are no new actions, 2 times no new subscriptions.
 */

const UPLOADS = 20;
const ACTIONS = 3;
const POLLS = 5;
const FEEDS = 10;
/** Podcasts that the users choose from, a few of them far more often than most. */
const PODCASTS = 10_000;
/** Uploads with a checkpoint of PostgreSQL before each. */
const SAMPLE = 200;
/** After all marks. */
const NEVER = 2_000_000_000;

/** `share`: how much of the day is measured. `history`: actions that a user has uploaded before. */
const SCENARIOS = [
  { kind: 'postgres', users: 1000, share: 1, history: 600 },
  { kind: 'postgres', users: 10_000, share: 0.1, history: 60 },
  { kind: 'sqlite', users: 1000, share: 1, history: 600 },
  { kind: 'json', users: 1000, share: 1, history: 600 },
];

/** Deterministic numbers from 0 to below 1. */
let state = 1;
const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;

const feedsOfUser = () =>
  Array.from(
    { length: FEEDS },
    () => `https://feeds.example.org/show-${Math.floor(PODCASTS * random() ** 3)}/feed.xml`,
  );

let minutes = 0;
function nextActions(user) {
  const time = new Date(Date.UTC(2025, 0) + (minutes += 1) * 60_000).toISOString().slice(0, 16);
  const actions = Array.from({ length: ACTIONS }, (_, n) => ({
    podcast: `https://feeds.example.org/show-${(minutes * 7 + n) % 40}/feed.xml`,
    episode: `https://media.example.org/show-${(minutes * 7 + n) % 40}/2025/${user}-${minutes}-${n}.mp3?source=feed`,
    guid: `8d2f6f1e-5b0a-4c58-${String(n).padStart(4, '0')}-${String(minutes).padStart(12, '0')}`,
    device: 'phone',
    action: 'play',
    timestamp: `${time}:${String(n).padStart(2, '0')}`,
    started: 15,
    position: 1835,
    total: 3600,
  }));
  return JSON.stringify(actions);
}

async function run({ kind, users: count, share, history }) {
  const users = Array.from({ length: count }, (_, n) => `user-${n}`);
  const storage = await createStorage(kind, Object.fromEntries(users.map((user) => [user, history])));
  const empty = await storage.size();
  const options = ['--metrics', '--metrics-allow', '127.0.0.1'];
  let server = await storage.start(options);
  const before = await server.memory();

  /** Sends one request for each user. */
  const all = async (make) => {
    let at = 0;
    const until = requests(count);
    await load({ url: server.url, next: () => make(users[at++]), until });
  };
  for (const device of ['phone', 'tablet']) {
    const path = (user) => `/subscriptions/${user}/${device}.json`;
    const seed = state;
    await all((user) => request('PUT', path(user), storage.cookieOf(user), JSON.stringify(feedsOfUser())));
    if (device === 'phone') state = seed; // both have the same
  }
  await server.stop();
  const full = await storage.size();

  server = await storage.start(options);
  const sql = kind === 'postgres' ? postgres(storage.spec, { max: 1, onnotice: () => undefined }) : undefined;
  const postmaster = sql && (await findPostmaster(storage.spec));
  const wal = async () =>
    (await sql`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`)[0].bytes;
  const rows = async () => (await sql`SELECT sum(pg_column_size(entries.*))::float8 AS bytes FROM entries`)[0].bytes;
  const upload = (user) => request('POST', `/api/2/episodes/${user}.json`, storage.cookieOf(user), nextActions(user));
  /** Adds the processor time of podsync and of PostgreSQL to `spent`, in milliseconds. */
  const measure = async (spent, step) => {
    const parts = () => [cpuOf(server.pid), sql ? cpuOf(postmaster) : 0];
    const start = parts();
    await step();
    parts().forEach((seconds, part) => (spent[part] += (seconds - start[part]) * 1000));
  };

  await all(upload); // to warm up
  const size = sql ? await storage.size() : full;
  const log = sql ? await wal() : 0;
  const rowBytes = sql ? await rows() : 0;
  const operations = await readOperations(server);
  const rounds = UPLOADS * share;
  const spent = { upload: [0, 0], poll: [0, 0] };
  for (let round = 0; round < rounds; round += 1) {
    const since = Math.floor(Date.now() / 1000) - 1;
    const poll = (time) => (user) => {
      const path = time < 3 ? `/api/2/episodes/${user}.json` : `/api/2/subscriptions/${user}/tablet.json`;
      return request('GET', `${path}?since=${time === 0 ? since : NEVER}`, storage.cookieOf(user));
    };
    await measure(spent.upload, () => all(upload));
    await measure(spent.poll, async () => {
      for (let time = 0; time < POLLS; time += 1) await all(poll(time));
    });
  }
  const done = await readOperations(server);
  const written = sql ? (await wal()) - log : 0;
  const memory = await server.memory();

  // Without a PostgreSQL the size is known only when the server has stopped, and contains the first upload.
  const grownRows = sql ? (await rows()) - rowBytes : 0;
  const grown = sql ? ((await storage.size()) - size) / rounds : undefined;
  const logged = sql
    ? await measureSample(async (n) => {
        await sql`CHECKPOINT`;
        const at = await wal();
        await load({ url: server.url, next: () => upload(users[n]), until: requests(1), connections: 1 });
        return (await wal()) - at;
      })
    : [0];
  await server.stop();
  await sql?.end();
  const grownByUpload = grown ?? ((await storage.size()) - size) / (rounds + 1);
  await storage.remove();
  const perDay = (value) => value / share / count;
  return {
    account: (full - empty) / count,
    day: (grownByUpload * UPLOADS) / count,
    dayRows: perDay(grownRows),
    operations: Object.fromEntries(Object.keys(done).map((key) => [key, perDay(done[key] - operations[key])])),
    log: perDay(written),
    logAfterCheckpoint: median(logged),
    upload: spent.upload.map((each) => each / (rounds * count)),
    poll: spent.poll.map((each) => each / (rounds * POLLS * count)),
    before,
    memory,
  };
}

async function measureSample(measure) {
  const values = [];
  for (let n = 0; n < SAMPLE; n += 1) values.push(await measure(n));
  return values;
}

/** How often each operation of the storage was called so far. */
async function readOperations({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(/^podsync_storage_operation_duration_seconds_count\{operation="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...counts].map(([, operation, count]) => [operation, Number(count)]));
}

const rowsOf = (scenario) => {
  const { kind, users, share } = scenario;
  const name = `${kind}, ${users.toLocaleString('en')} users`;
  const measured = (results) => (results[name] ??= run(scenario));
  const row = (what, unit, read) => ({
    name: `${what}, ${name}`,
    unit,
    measure: async (results) => ({ ...read(await measured(results)) }),
  });
  const parts = ([podsync, database]) => `podsync ${formatNumber(podsync)} ms, PostgreSQL ${formatNumber(database)} ms`;
  return [
    row('disk for 10 subscriptions on 2 devices', 'bytes', ({ account }) => ({ value: account })),
    row('disk for a day', 'bytes', ({ day, dayRows }) => ({
      value: day,
      note: `${kind === 'postgres' ? `in rows ${formatNumber(dayRows)}; ` : ''}measured for ${share} of a day`,
    })),
    row('operations of the storage on a day', '', ({ operations }) => ({
      value: Object.values(operations).reduce((sum, each) => sum + each, 0),
      note: Object.entries(operations)
        .map(([each, count]) => `${each} ${formatNumber(count)}`)
        .join(', '),
    })),
    ...(kind === 'postgres'
      ? [
          row('WAL of a day', 'bytes', ({ log, logAfterCheckpoint }) => ({
            value: log,
            note: `without checkpoints; an upload right after one ${formatNumber(logAfterCheckpoint)} bytes`,
          })),
        ]
      : []),
    row('CPU of an upload of 3 actions', 'ms', ({ upload }) => ({ value: upload[0] + upload[1], note: parts(upload) })),
    row('CPU of a poll', 'ms', ({ poll }) => ({ value: poll[0] + poll[1], note: parts(poll) })),
    row('resident memory of podsync after the day', 'MB', ({ before, memory }) => ({
      value: memory.rss,
      note: `${formatNumber(before.rss)} MB after its first start`,
    })),
  ];
};

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'cost of a user',
  isLong: true,
  open: async () => ({}),
  close: async () => undefined,
  rows: SCENARIOS.flatMap(rowsOf),
};
