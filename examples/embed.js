/*
 * podsync as a part of another program: a site with its own page, and podsync below /podcasts.
 *
 *   ALICES_PASSWORD=wonderland node examples/embed.js ./site-data 8080
 *
 * `embed.test.ts` runs it. In TypeScript set `skipLibCheck`: the types of h3 need it.
 */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { toNodeHandler } from 'h3';
import { openPodsync } from 'podsync';

const [data = './site-data', port = '8080'] = process.argv.slice(2);
const password = process.env.ALICES_PASSWORD;
if (!password) throw new Error('ALICES_PASSWORD is not set');
await mkdir(data, { recursive: true, mode: 0o700 });

const podsync = await openPodsync({
  data,
  baseUrl: 'https://example.org/podcasts', // the public address, which users enter in apps
  syncDevices: true,
  fetch: false,
  log: (level, message) => console.error(`${level}: ${message}`),
});
const { accounts, maintenance } = podsync.services;
if (!(await accounts.findByName('alice'))) await accounts.create({ name: 'alice', password });
maintenance.start(); // and with `fetch`: podsync.services.feeds.start()

const servePodcasts = toNodeHandler(podsync.publicApp);
const server = createServer((request, response) => {
  if (request.url.startsWith('/podcasts/')) servePodcasts(request, response);
  else response.end('Welcome to my site\n');
});
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
console.error(`the site is at http://127.0.0.1:${server.address().port}`);

process.once('SIGTERM', () => {
  server.close(() => podsync.close());
  server.closeIdleConnections();
});
