import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { makeCopy, run, start, startServer } from './podsync.ts';

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>Alpha Hour</title>
<item><title>One</title><enclosure url="http://media.example/1.mp3" type="audio/mpeg"/></item></channel></rss>`;
const LONG = 'A very long title, as some publishers write it';

let web: HttpServer;
let good: string;
let missing: string;

beforeAll(async () => {
  web = createServer((request, response) => {
    if (request.url === '/good.xml') response.end(FEED);
    else if (request.url === '/long.xml') response.end(FEED.replace('Alpha Hour', LONG));
    else if (request.url === '/slow.xml') response.write(' ');
    else if (request.url === '/gone.xml') response.writeHead(410).end();
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  [good, missing] = [`${origin}/good.xml`, `${origin}/missing.xml`];
});
afterAll(() => {
  web.closeAllConnections();
  web.close();
});

/** A data folder in which an account subscribes to these feeds. */
const subscribe = (urls: readonly string[]): Promise<string> =>
  makeCopy(urls.join(' '), async (folder) => {
    const server = await startServer(['--data', folder]);
    const { stdout } = await run(['user', 'add', 'bob', '--generate', '--data', folder]);
    const answer = await fetch(`${server.url}/subscriptions/bob/phone.json`, {
      method: 'PUT',
      headers: { authorization: `Basic ${btoa(`bob:${stdout.trim()}`)}` },
      body: JSON.stringify(urls),
    });
    expect(answer.status).toBe(200);
    server.kill('SIGTERM');
    await server.ended;
  });

it('fetches feeds without a server, and shows the results', async () => {
  const data = await subscribe([good, missing]);
  const update = await run(['feeds', 'update', '--allow-private-feeds', '--data', data]);
  const problem = 'the server answered 404 (Not Found)';
  expect(update).toEqual({ code: 0, stdout: `2 feeds tried, 1 failed\n${missing}: ${problem}\n`, stderr: '' });

  const again = await run(['feeds', 'update', '--allow-private-feeds', '--json', '--data', data]);
  expect(again).toEqual({ code: 0, stdout: '{"tried":0,"failed":[]}\n', stderr: '' });

  const list = await run(['feeds', 'list', '--json', '--data', data]);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(JSON.parse(list.stdout)).toEqual([
    { url: good, title: 'Alpha Hour', state: 'ok', error: null, failures: 0, read: time, next: time },
    { url: missing, title: '', state: 'failed', error: problem, failures: 1, read: null, next: time },
  ]);
  const failed = await run(['feeds', 'list', '--failed', '--data', data]);
  expect(failed.stdout).toMatch(
    new RegExp(
      `^STATE +NEXT UPDATE +TITLE +ADDRESS +ERROR\nfailed +\\S+Z +- +${missing} +the server answered 404 [^\n]*\n$`,
    ),
  );
  expect((await run(['feeds', 'list', '--data', data])).stdout).toMatch(
    new RegExp(`^ok +\\S+Z +Alpha Hour +${good}$`, 'm'),
  );
});

it('does not print the passwords of feeds', async () => {
  const secret = missing.replace('//', '//bob:secret@');
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  const opml = `<opml><body><outline xmlUrl="${secret}"/></body></opml>`;
  const keep = ['--keep-url-credentials', '--data', data];
  await run(['import-opml', '-', '--user', 'bob', '--device', 'phone', ...keep], { input: opml });
  const shown = missing.replace('//', '//***@');
  for (const args of [
    ['feeds', 'update', '--allow-private-feeds'],
    ['feeds', 'list'],
  ]) {
    const { stdout } = await run([...args, '--json', '--data', data]);
    expect(stdout).toContain(`"url":"${shown}"`);
    expect(stdout).not.toContain('secret');
  }
});

it('exits 1 if the given feed is unknown or cannot be fetched', async () => {
  const data = await subscribe([good, missing]);
  const update = (...args: string[]) => run(['feeds', 'update', '--data', data, ...args]);
  expect(await update('--allow-private-feeds', '--url', good)).toMatchObject({
    code: 0,
    stdout: '1 feed tried, 0 failed\n',
  });
  const broken = await update('--allow-private-feeds', '--url', missing);
  expect(broken).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('could not be read: the server answered 404'),
  });
  const unknown = await update('--allow-private-feeds', '--url', `${good}?unknown`);
  expect(unknown).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no feed has this address'),
  });
  const guarded = await update('--url', good);
  expect(guarded).toMatchObject({ code: 1, stderr: expect.stringMatching(/could not be read/) });
  expect(await update('--no-fetch')).toMatchObject({ code: 1, stderr: expect.stringContaining('--no-fetch') });
  expect(await update('--url', good, '--all')).toMatchObject({ code: 2, stdout: '' });
});

it('uses the options of a running server', async () => {
  const data = await subscribe([good]);
  const server = await startServer(['--data', data]);
  const update = await run(['feeds', 'update', '--all', '--allow-private-feeds', '--data', data]);
  expect(update).toMatchObject({ code: 1, stderr: expect.stringContaining('--no-fetch') });
  expect(await run(['toplist', 'rebuild', '--data', data])).toEqual({
    code: 0,
    stdout: '1 podcast with subscribers, 0 counts corrected\n',
    stderr: '',
  });
  server.kill('SIGTERM');
  await server.ended;
});

it('a server fetches due feeds in the background', async () => {
  const data = await subscribe([good]);
  const requested = once(web, 'request');
  const server = await startServer(['--data', data, '--no-fetch', 'false', '--allow-private-feeds']);
  const [{ headers }] = await requested;
  expect(headers['user-agent']).toMatch(/^podsync\/\d/);
  const update = await run(['feeds', 'update', '--all', '--json', '--data', data]);
  expect(update).toEqual({ code: 0, stdout: '{"tried":1,"failed":[]}\n', stderr: '' });
  const podcast = await fetch(`${server.url}/api/2/data/podcast.json?url=${encodeURIComponent(good)}`);
  expect(await podcast.json()).toMatchObject({ title: 'Alpha Hour', subscribers: 1 });
  server.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

it('reports that a feed that was removed by its publisher is never fetched again', async () => {
  const gone = `${new URL(good).origin}/gone.xml`;
  const data = await subscribe([gone]);
  await run(['feeds', 'update', '--allow-private-feeds', '--data', data]);
  const { stdout } = await run(['feeds', 'list', '--data', data]);
  expect(stdout).toMatch(new RegExp(`^gone +never +- +${gone} +`, 'm'));
});

it('shortens long titles in the table, but not in JSON', async () => {
  const long = `${new URL(good).origin}/long.xml`;
  const data = await subscribe([long]);
  await run(['feeds', 'update', '--allow-private-feeds', '--data', data]);
  const list = (...args: string[]) => run(['feeds', 'list', '--data', data, ...args]);
  expect((await list()).stdout).toContain(`  ${LONG.slice(0, 39)}…  ${long}\n`);
  expect(JSON.parse((await list('--json')).stdout)).toMatchObject([{ title: LONG }]);
});

it('reports that there are no feeds in an empty folder', async () => {
  const data = await makeFolder();
  expect(await run(['feeds', 'list', '--data', data])).toEqual({
    code: 0,
    stdout: '',
    stderr: '[info] No feeds yet\n',
  });
  expect(await run(['feeds', 'list', '--failed', '--data', data])).toEqual({
    code: 0,
    stdout: '',
    stderr: '[info] No feed has failed\n',
  });
  expect(await run(['feeds', 'list', '--json', '--data', data])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});

it('reports that it was stopped by Ctrl-C, and keeps what was fetched', async () => {
  const slow = `${new URL(good).origin}/slow.xml`;
  const data = await subscribe([good, slow]);
  const stuck = new Promise<void>((resolve) => {
    web.on('request', (request) => request.url === '/slow.xml' && resolve());
  });
  await run(['feeds', 'update', '--url', good, '--allow-private-feeds', '--data', data]);
  const update = start(['feeds', 'update', '--all', '--allow-private-feeds', '--data', data]);
  await stuck;
  update.kill('SIGINT');
  const { code, stdout, stderr } = await update.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^\[error\] stopped; [^\n]*running the command again continues\n$/);
  const list = JSON.parse((await run(['feeds', 'list', '--json', '--data', data])).stdout);
  expect(list).toMatchObject([
    { url: good, state: 'ok' },
    { url: slow, read: null },
  ]);
});
