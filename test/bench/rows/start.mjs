import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { call, callUpload, fill, logIn } from '../client.mjs';
import { median, thrice } from '../rounds.mjs';
import { copyData, createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

/** A mark after all changes. */
const FAR_AHEAD = 2 ** 31;
/** A little less than starts a checkpoint of the write-ahead log. */
const FULL_LOG = 50_000;

/** Two data folders: of a server that was stopped, and of one that was killed with a full write-ahead log. */
async function open() {
  const stopped = await createData(['user']);
  const first = await startPodsync(stopped);
  const cookie = await logIn(first, 'user');
  await fill(first, 'user', cookie, 100_000);
  await first.stop();

  const killed = await copyData(stopped);
  const second = await startPodsync(killed);
  await fill(second, 'user', cookie, FULL_LOG);
  await second.stop('SIGKILL');
  return { stopped, killed, cookie };
}

/** Time from the start to the first response, and of the first upload after that, in milliseconds. */
async function start(folder, cookie) {
  const copy = await copyData(folder);
  const begun = performance.now();
  const server = await startPodsync(copy);
  try {
    await call(server, `/api/2/episodes/user.json?since=${FAR_AHEAD}`, cookie);
    const answered = performance.now();
    await callUpload(server, 'user', cookie);
    return { start: answered - begun, upload: performance.now() - answered };
  } finally {
    await server.stop('SIGKILL');
  }
}

async function measureStart(folder, cookie) {
  const rounds = await thrice(() => start(folder, cookie));
  const uploads = formatNumber(median(rounds.map(({ upload }) => upload)));
  return {
    value: median(rounds.map((round) => round.start)),
    note: `${formatNumber(await logSize(folder))} MB of write-ahead log; the first upload after it takes ${uploads} ms`,
  };
}

/** Megabytes. */
async function logSize(folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /wal-\d+\.jsonl$/.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'start with 100,000 actions',
  open,
  close: async () => undefined,
  rows: [
    {
      name: 'first answer after a stop',
      unit: 'ms',
      bound: ['<', 1000],
      measure: ({ stopped, cookie }) => measureStart(stopped, cookie),
    },
    {
      name: 'first answer after kill -9',
      unit: 'ms',
      bound: ['<', 1000],
      measure: ({ killed, cookie }) => measureStart(killed, cookie),
    },
  ],
};
