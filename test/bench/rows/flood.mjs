import { gzipSync } from 'node:zlib';
import { logIn } from '../client.mjs';
import { load, request, seconds } from '../load.mjs';
import { createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

const USERS = Array.from({ length: 16 }, (_, index) => `user-${index}`);
/** Duration of each flood, in seconds. */
const LONG = 5;

/** Types that two parsers may read differently. */
const TYPES = [
  'multipart/form-data; boundary=zz, application/x-www-form-urlencoded',
  'text/plain, multipart/form-data; boundary=x',
];
/** 4 MiB of fields in 4 KB. */
const FIELDS = gzipSync(`a=\r\n\r\n${'&a'.repeat(2 * 1024 * 1024)}`).toString('latin1');
const FORMS = TYPES.map((type) =>
  request('POST', '/upload', { 'content-type': type, 'content-encoding': 'gzip' }, FIELDS),
);

/** 5,000 feeds in 3 MB. */
const OPML = createOpml(
  Array.from({ length: 5000 }, (_, index) => ({
    url: `https://feeds.example.org/show-${index}/feed.xml`,
    description: 'Every week about this and that. '.repeat(14),
  })),
);

function createOpml(feeds) {
  const outlines = feeds.map(
    ({ url, description }) => `<outline type="rss" text="A show" description="${description}" xmlUrl="${url}"/>\n`,
  );
  return `<opml version="2.0"><body>${outlines.join('')}</body></opml>`;
}

async function open() {
  const server = await startPodsync(await createData(USERS));
  const uploads = await Promise.all(
    USERS.map(async (user) => request('PUT', `/subscriptions/${user}/phone.opml`, await logIn(server, user), OPML)),
  );
  return { server, uploads };
}

/** Times of `/health` while 16 connections send the requests of `next`. */
async function flood({ server }, next) {
  let isOver = false;
  const [sent, health] = await Promise.all([
    load({ url: server.url, next, until: seconds(LONG) }).finally(() => (isOver = true)),
    load({ url: server.url, next: () => request('GET', '/health'), until: () => isOver, connections: 1 }),
  ]);
  const { rss, peak } = await server.memory();
  return {
    value: health.p99,
    note: `${formatNumber(sent.rate)}/s of the flood; ${formatNumber(rss)} MB resident, ${formatNumber(peak)} MB at most`,
  };
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: '16 connections flood',
  open,
  close: ({ server }) => server.stop(),
  rows: [
    {
      name: 'p99 of /health during forms of a million fields',
      unit: 'ms',
      bound: ['<=', 50],
      measure: (stage) => flood(stage, (connection) => FORMS[connection % FORMS.length]),
    },
    {
      name: 'p99 of /health during OPML of 3 MB',
      unit: 'ms',
      bound: ['<=', 50],
      measure: (stage) => flood(stage, (connection) => stage.uploads[connection]),
    },
    {
      name: 'maximum resident memory, after both',
      unit: 'MB',
      bound: ['<', 300],
      measure: async ({ server }) => {
        const { rss, peak } = await server.memory();
        return { value: peak, note: `${formatNumber(rss)} MB in the end` };
      },
    },
  ],
};
