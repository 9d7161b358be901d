import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { run, type Server, startServer } from './podsync.ts';

const BODY = 'http://example.org/feed\n';

/** A server on which bob is in the middle of an upload: all but the last byte has been sent. */
async function startUpload(): Promise<{ server: Server; upload: Socket }> {
  const server = await startServer();
  await run(['user', 'add', 'bob', '--password-stdin', '--data', server.data], { input: 'secret' });
  const upload = connect(server.port, '127.0.0.1').setEncoding('utf8');
  upload.write(
    `PUT /subscriptions/bob/phone.txt HTTP/1.1\r\nhost: x\r\nauthorization: Basic ${btoa('bob:secret')}\r\n` +
      `content-length: ${BODY.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  const [answer] = await once(upload, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 100 /); // so the request has been taken up
  upload.write(BODY.slice(0, -1));
  return { server, upload };
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'finishes what is under way at %s, and takes nothing new',
  async (signal) => {
    const { server, upload } = await startUpload();
    server.kill(signal);
    await server.says(/stopping/);
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
  upload.on('error', () => undefined); // it is cut
  server.kill('SIGTERM');
  await server.says(/stopping/);
  server.kill(signal);
  expect((await server.ended).code).toBe(code);
});
