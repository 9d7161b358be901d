import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { type Result, run, startServer } from '../test/cli/podsync.ts';

const check = (url: string, password: string): Promise<Result> =>
  run([url, 'alice', password, '0'], { program: join(import.meta.dirname, 'lossless.mjs') });

it('podsync loses nothing when apps sync at the same moment', async () => {
  const { data, url } = await startServer();
  await run(['user', 'add', 'alice', '--password-stdin', '--data', data], { input: 'wonderland' });
  const { code, stdout, stderr } = await check(url, 'wonderland');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/'Kasts' .*'subscriptions' .* 40 .* 0 /);
  expect(stdout).toMatch(/'AntennaPod' .*'episodes' .* 80 .* 0 /);
  expect(stdout).toContain('Nothing was lost.');
});

it('says why a server could not be checked', async () => {
  const { url } = await startServer();
  const { code, stderr } = await check(url, 'wrong');
  expect(code).toBe(2);
  expect(stderr).toMatch(/could not be checked: POST \/api\/2\/devices\/.* was answered with 401/);
});

/** Returns actions uploaded after the second `since`: what is uploaded later in that second is lost. */
const bySecond = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const body = await text(request);
  const now = Math.floor((requests += 1) / REQUESTS_PER_SECOND);
  if (request.method === 'POST') {
    if (pathname.includes('/episodes/')) uploads.push(...JSON.parse(body).map((action: object) => ({ action, now })));
    response.end(JSON.stringify({ timestamp: now, update_urls: [] }));
    return;
  }
  const since = Number(searchParams.get('since'));
  const actions = uploads.filter((each) => each.now > since).map(({ action }) => action);
  response.end(JSON.stringify({ add: [], remove: [], actions, timestamp: now }));
});
/** Its clock counts requests, as the test must not depend on the speed of the machine. */
const REQUESTS_PER_SECOND = 25;
let requests = 0;
const uploads: { action: object; now: number }[] = [];
afterAll(() => bySecond.close());

it('reports the losses of a server whose timestamps count seconds', async () => {
  await once(bySecond.listen(0, '127.0.0.1'), 'listening');
  const { port } = bySecond.address() as AddressInfo;
  const { code, stdout } = await check(`http://127.0.0.1:${port}`, 'any');
  expect(code).toBe(1);
  expect(stdout).toContain('This server does not share subscriptions between devices.');
  expect(stdout).toMatch(/\d+ changes were lost\./);
});
