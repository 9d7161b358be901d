import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { messages } from '../../../src/cli/output.ts';
import { openServerLog } from '../../../src/cli/server/server-log.ts';
import { makeFolder } from '../../folder.ts';
import { run, startServer } from '../podsync.ts';

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const MEMORY = join(import.meta.dirname, '../../../examples/memory-storage/memory-storage.js');

afterEach(() => vi.restoreAllMocks());

/** The log of a server with these options during eight wrong logins as bob. */
async function logOf(...args: string[]): Promise<string> {
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  const server = await startServer(['--data', data, ...args]);
  for (let at = 0; at < 8; at++) {
    const headers = { authorization: `Basic ${btoa('bob:typed')}` };
    await (await fetch(`${server.url}/api/2/devices/bob.json?secret=1`, { headers })).text();
  }
  server.kill('SIGTERM');
  return (await server.ended).stderr;
}

it('has date and time, and every failed login', async () => {
  const log = await logOf();
  const lines = log.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(new RegExp(`^${TIME} \\[(info|warn|success)\\] \\S`));
  const failed = lines.filter((line) => line.endsWith(' [warn] Failed login from 127.0.0.1: wrong password for bob'));
  expect(failed).toHaveLength(8);
  expect(log).not.toContain('GET ');
});

it('has every request with --access-log, without secrets', async () => {
  const log = await logOf('--access-log');
  const line = new RegExp(
    String.raw`^${TIME} \[info\] GET /api/2/devices/bob\.json 401 \d+ ms \d+ bytes - 127\.0\.0\.1$`,
    'gm',
  );
  expect(log.match(line)).toHaveLength(8);
  expect(log).not.toMatch(/secret|typed/);
});

it('is one JSON object per line with --log-format json', async () => {
  const log = await logOf('--access-log', '--log-format', 'json');
  const entries = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const { time, level, message } of entries) {
    expect(time).toMatch(new RegExp(`^${TIME}$`));
    expect(level).toMatch(/^(info|warn)$/);
    expect(message).toMatch(/\S/);
  }
  const failed = entries.filter(({ event }) => event === 'failed-login');
  expect(failed).toHaveLength(8);
  expect(failed[0]).toEqual({
    time: expect.any(String),
    level: 'warn',
    message: 'Failed login from 127.0.0.1: wrong password for bob',
    event: 'failed-login',
    ip: '127.0.0.1',
    user: 'bob',
  });
  const requests = entries.filter(({ event }) => event === 'request');
  expect(requests).toHaveLength(8);
  expect(requests[0]).toMatchObject({
    level: 'info',
    method: 'GET',
    path: '/api/2/devices/bob.json',
    status: 401,
    ms: expect.any(Number),
    bytes: expect.any(Number),
    user: null,
    ip: '127.0.0.1',
  });
});

it.each([
  ['info', ['an error', 'a warning', 'some news', 'done', 'Failed login', 'GET /']],
  ['warn', ['an error', 'a warning', 'Failed login', 'GET /']],
  ['error', ['an error', 'Failed login', 'GET /']],
] as const)(
  'at the level %s it has what matters, and failed logins and requests at every level',
  (logLevel, expected) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { log, onRequest } = openServerLog({ logLevel, logFormat: 'json', accessLog: true });
    log('error', 'an error');
    log('warn', 'a warning');
    messages.info('some news');
    messages.success('done');
    log('warn', 'Failed login from 192.0.2.1: unknown user', { event: 'failed-login' });
    const answered = { method: 'GET', path: '/', route: '/', status: 200, duration: 1, bytes: 2 };
    onRequest!({ ...answered, user: undefined, ip: '192.0.2.1' });
    const said = written.mock.calls.map(([line]) => (JSON.parse(String(line)) as { message: string }).message);
    expect(said).toHaveLength(expected.length);
    for (const [at, text] of expected.entries()) expect(said[at]).toContain(text);
  },
);

it.each(['text', 'json'])('says why the server does not start: %s', async (format) => {
  const args = ['serve', '--data', await makeFolder(), '--storage', 'json:/dev/null', '--log-format', format];
  const { code, stderr } = await run(args);
  expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
  if (format === 'json') expect(JSON.parse(stderr)).toMatchObject({ level: 'error' });
  else expect(stderr).toMatch(new RegExp(`^${TIME} \\[error\\] `));
});

it('a message of several lines cannot look like another one', async () => {
  const data = await makeFolder();
  const forged = 'a feed says:\\n2026-01-01T00:00:00.000Z [warn] Failed login from 192.0.2.1: unknown user\\u001b[2J';
  await writeFile(
    join(data, 'plugin.js'),
    `import memory from ${JSON.stringify(MEMORY)};
export default {
  ...memory,
  open(options, context) {
    context.log('warn', '${forged}');
    return memory.open(options, context);
  },
};`,
  );
  const server = await startServer(['--data', data, '--storage', `${data}/plugin.js:x`]);
  server.kill('SIGTERM');
  const { stderr } = await server.ended;
  expect(stderr).toContain(' [warn] a feed says:\n  2026-01-01T00:00:00.000Z [warn] Failed login');
  expect(stderr).not.toContain('\u001b');
});
