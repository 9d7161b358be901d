import { call, fill, logIn } from '../client.mjs';
import { median, thrice } from '../rounds.mjs';
import { createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

/** Resident memory of a new server after `work`, in megabytes. */
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

/** Ten uploads of 19,999 actions, each of another new podcast. */
async function nameManyPodcasts(server, cookie) {
  for (let upload = 0; upload < 10; upload += 1) {
    const actions = Array.from({ length: 19_999 }, (_, index) => ({
      podcast: `https://feeds.example.org/${upload}/show-${index}/feed.xml`,
      episode: `https://media.example.org/${upload}/show-${index}/1.mp3`,
      action: 'download',
      timestamp: '2025-01-01T00:00:00',
    }));
    await call(server, '/api/2/episodes/user.json', cookie, JSON.stringify(actions));
  }
}

/** Resident memory of a server that is restarted after that, in megabytes. */
async function measureRestart() {
  const folder = await createData(['user']);
  const first = await startPodsync(folder);
  await nameManyPodcasts(first, await logIn(first, 'user'));
  await first.stop();
  const rounds = await thrice(async () => {
    const server = await startPodsync(folder);
    try {
      await logIn(server, 'user');
      return (await server.memory()).rss;
    } finally {
      await server.stop();
    }
  });
  return { value: median(rounds) };
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
    {
      name: 'after ten uploads of 19,999 actions with new podcasts',
      unit: 'MB',
      bound: ['<', 350],
      measure: () => measureMemory(nameManyPodcasts),
    },
    { name: 'after these and a restart', unit: 'MB', bound: ['<', 150], measure: measureRestart },
  ],
};
