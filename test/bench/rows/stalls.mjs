import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createBodies } from '../bodies.mjs';
import { logIn } from '../client.mjs';
import { load, request } from '../load.mjs';
import { createData, PASSWORD, runPodsync, startPodsync } from '../server.mjs';

const USER = 'alice';
const KINDS = ['json', 'sqlite'];
/** Work that follows an upload is done after this time, in milliseconds. */
const AFTER = 300;

async function open() {
  const stages = {};
  for (const kind of KINDS) {
    const folder = await createData([]);
    const storage = kind === 'json' ? [] : ['--storage', `sqlite:${join(folder, 'podsync.db')}`];
    await runPodsync(['user', 'add', USER, '--password-stdin', '--data', folder, ...storage], `${PASSWORD}\n`);
    const server = await startPodsync(folder, storage);
    stages[kind] = { server, headers: await logIn(server, USER) };
  }
  return stages;
}

/** The longest time of `/health` while a body is sent and stored. */
async function measureStall({ server, headers }, [, method, path, make, more]) {
  const body = Buffer.from(make());
  const upload = async () => {
    const sent = httpRequest(server.url + path, { method, headers: { ...headers, ...more } });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    answer.resume();
    await once(answer, 'end');
    await setTimeout(AFTER);
    return answer.statusCode;
  };
  let isOver = false;
  const [status, health] = await Promise.all([
    upload().finally(() => (isOver = true)),
    load({ url: server.url, next: () => request('GET', '/health'), until: () => isOver, connections: 1 }),
  ]);
  if (status >= 500) throw new Error(`${method} ${path} was answered by ${status}`);
  return { value: health.max, note: `answered by ${status}, ${(body.length / 1e6).toFixed(1)} MB` };
}

const rowsOf = (kind) =>
  createBodies(USER, PASSWORD).map((body) => ({
    name: `${body[0]}, ${kind}`,
    unit: 'ms',
    bound: ['<=', 50],
    measure: (stages) => measureStall(stages[kind], body),
  }));

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'longest /health during',
  open,
  close: (stages) => Promise.all(KINDS.map((kind) => stages[kind].server.stop())),
  rows: KINDS.flatMap(rowsOf),
};
