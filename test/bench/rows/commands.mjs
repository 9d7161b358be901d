import { performance } from 'node:perf_hooks';
import { call, logIn } from '../client.mjs';
import { median, thrice } from '../rounds.mjs';
import { createData, runPodsync, startPodsync } from '../server.mjs';

const FEEDS = 5000;

const OUTLINES = Array.from(
  { length: FEEDS },
  (_, n) => `<outline type="rss" text="Podcast ${n}" xmlUrl="https://feeds.example.org/${n}/feed.xml"/>`,
);
const OPML = `<?xml version="1.0"?>\n<opml version="2.0"><body>\n${OUTLINES.join('\n')}\n</body></opml>\n`;

/** Milliseconds from the start of a command to its end. */
async function time(args, input) {
  const begun = performance.now();
  await runPodsync(args, input);
  return performance.now() - begun;
}

async function measureImport() {
  const rounds = await thrice(async () => {
    const data = await createData(['user']);
    const server = await startPodsync(data);
    try {
      const took = await time(['import-opml', '-', '--user', 'user', '--device', 'phone', '--data', data], OPML);
      const stored = await call(server, '/subscriptions/user/phone.json', await logIn(server, 'user'));
      if (stored.length !== FEEDS) throw new Error(`${stored.length} of ${FEEDS} feeds were imported`);
      return took;
    } finally {
      await server.stop();
    }
  });
  return { value: median(rounds), note: 'beside a running server, with the start of the command' };
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'commands',
  open: async () => undefined,
  close: async () => undefined,
  rows: [
    {
      name: '--version',
      unit: 'ms',
      bound: ['<', 150],
      measure: async () => ({ value: median(await thrice(() => time(['--version']))), note: 'with the start of Node' }),
    },
    { name: 'import-opml of 5,000 feeds', unit: 'ms', bound: ['<', 2000], measure: measureImport },
  ],
};
