import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../folder.ts';
import { run, type Server, startServer } from '../podsync.ts';

const BODY = 'http://example.org/feed\n';

/** A server and an unfinished upload of bob, which lacks the last byte. */
async function startUpload(): Promise<{ server: Server; upload: Socket }> {
  const server = await startServer();
  await run(['user', 'add', 'bob', '--password-stdin', '--data', server.data], { input: 'secret' });
  const upload = connect(server.port, '127.0.0.1').setEncoding('utf8');
  upload.write(
    `PUT /subscriptions/bob/phone.txt HTTP/1.1\r\nhost: x\r\nauthorization: Basic ${btoa('bob:secret')}\r\n` +
      `content-length: ${BODY.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  const [answer] = await once(upload, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 100 /); // the server has accepted the request
  upload.write(BODY.slice(0, -1));
  return { server, upload };
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'finishes running requests at %s, and accepts no new ones',
  async (signal) => {
    const { server, upload } = await startUpload();
    server.kill(signal);
    await server.prints(/Stopping/);
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');

    upload.write(BODY.slice(-1));
    const [answer] = await once(upload, 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect((await server.ended).code).toBe(0);

    const again = await startServer(['--data', server.data]);
    const stored = await fetch(`${again.url}/subscriptions/bob/phone.txt`, {
      headers: { authorization: `Basic ${btoa('bob:secret')}` },
    });
    expect(await stored.text()).toBe(BODY);
  },
);

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('stops at once when %s comes second', async (signal, code) => {
  const { server, upload } = await startUpload();
  upload.on('error', () => undefined); // it is closed by the server
  server.kill('SIGTERM');
  await server.prints(/Stopping/);
  server.kill(signal);
  expect((await server.ended).code).toBe(code);
});

it('a finished command and a stopped server leave no lock and no socket', async () => {
  const data = await makeFolder();
  const left = async () => (await readdir(data)).filter((name) => /^(?:lock|control)/.test(name));
  const backup = join(data, 'all.ndjson');
  for (const [code, ...args] of [
    [0, 'user', 'add', 'bob', '--generate'],
    [0, 'export', '--format', 'backup', '-o', backup],
    [0, 'import', backup, '--as', 'eve'],
    [1, 'pull', 'http://127.0.0.1:1', '--user', 'bob', '--password-stdin'],
  ] as const) {
    expect((await run([...args, '--data', data], { input: 'secret' })).code).toBe(code);
    expect(await left()).toEqual([]);
  }
  const server = await startServer(['--data', data]);
  expect(await left()).not.toEqual([]);
  server.kill('SIGTERM');
  await server.ended;
  expect(await left()).toEqual([]);
});

describe('a storage that leaves a timer running', () => {
  const storage = ['--storage', `${join(import.meta.dirname, '../storages/open-handle.js')}:open`];

  it('does not keep a stopped server running', async () => {
    const server = await startServer(storage);
    server.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });

  it('does not keep a command running, which writes all of its output first', async () => {
    const at = [...storage, '--data', await makeFolder()];
    const feeds = Array.from({ length: 4000 }, (_, index) => `https://feeds.example/a/rather/long/path/${index}`);
    const outlines = feeds.map((url) => `<outline xmlUrl="${url}"/>`);
    await run(['user', 'add', 'bob', '--generate', ...at]);
    const opml = `<opml version="2.0"><body>${outlines.join('')}</body></opml>`;
    await run(['import-opml', '-', '--user', 'bob', '--device', 'phone', ...at], { input: opml });
    const { code, stdout } = await run(['export', '--user', 'bob', '--format', 'txt', ...at]);
    expect({ code, urls: stdout.trim().split('\n') }).toEqual({ code: 0, urls: feeds });
    expect(await run(['user', 'show', 'eve', ...at])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no account'),
    });
  });
});
