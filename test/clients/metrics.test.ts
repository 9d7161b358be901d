import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { run, startServer } from '../cli/podsync.ts';
import { makeFolder } from '../folder.ts';
import { isInstalled } from './installed.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

/** Of Debian's package prometheus. */
const HAS_PROMTOOL = isInstalled('promtool');
const check = it.skipIf(!HAS_PROMTOOL);
const title = (what: string): string => (HAS_PROMTOOL ? what : `${what} (skipped: promtool is not installed)`);

async function promtool(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  const child = spawn('promtool', args);
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, output: stdout + stderr };
}

/** Sends requests of all kinds, many at once. */
async function load(url: string): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from('bob:a long password').toString('base64')}` };
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer.text();
  };
  await send('POST', '/api/2/auth/bob/login.json');
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, device) => {
        const path = `/api/2/subscriptions/bob/device${device}.json`;
        const stored = await send('POST', path, { add: [`http://example.org/${round}-${device}`], remove: [] });
        const { timestamp } = JSON.parse(stored) as { timestamp: number };
        await send('POST', '/api/2/episodes/bob.json', [
          { podcast: 'http://example.org/', episode: `http://example.org/${round}-${device}.mp3`, action: 'download' },
        ]);
        await send('GET', `/api/2/episodes/bob.json?since=${timestamp - 10}`);
        await send('GET', `${path}?since=${timestamp - 10}`);
        await send('GET', `/unknown/${device}`);
        await send('PROPFIND', '/');
      }),
    );
  }
}

check(title('promtool finds nothing wrong with the metrics of a server under load'), async () => {
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--password-stdin', '--data', data], { input: 'a long password' });
  const options = ['--metrics', '--metrics-allow', '127.0.0.1', '--backup-every', '1d'];
  const server = await startServer(['--data', data, ...options]);
  const [, during] = await Promise.all([load(server.url), fetch(`${server.url}/metrics`).then((each) => each.text())]);
  const after = await (await fetch(`${server.url}/metrics`)).text();
  server.kill('SIGTERM');
  await server.ended;
  expect(after).toContain('podsync_actions_uploaded_total 100\n');
  for (const metrics of [during, after]) {
    expect(await promtool(['check', 'metrics'], metrics)).toEqual({ code: 0, output: '' });
  }
});

check(title('promtool finds nothing wrong with the configuration for Prometheus'), async () => {
  expect(await promtool(['check', 'config', '--syntax-only', join(EXAMPLES, 'prometheus.yml')])).toMatchObject({
    code: 0,
  });
});

check(title('promtool understands every query of the dashboard'), async () => {
  const { panels } = JSON.parse(await readFile(join(EXAMPLES, 'grafana/podsync.json'), 'utf8'));
  const queries: string[] = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr));
  const rules = queries.map((expr, at) => ({ record: `query_${at}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
  const file = join(await makeFolder(), 'rules.yml');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(await promtool(['check', 'rules', '--lint=none', file])).toMatchObject({ code: 0 });
});
