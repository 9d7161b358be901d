import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { makeFolder } from '../../folder.ts';
import { findPort } from '../../free-port.ts';
import { PROGRAM, run, start, startServer } from '../podsync.ts';

const ONE_SENTENCE = /^\S+Z \[error\] [^\n]+\n$/;
const CERT = join(import.meta.dirname, '../tls/cert.pem');
const KEY = join(import.meta.dirname, '../tls/key.pem');

/** Runs `serve`, which must not start; returns its error. */
async function refuses(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(['serve', ...args]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(ONE_SENTENCE);
  return stderr;
}

it('serves at the printed address, keeps its folder private, and writes nothing to stdout', async () => {
  const data = join(await makeFolder(), 'a/b');
  const server = await startServer(['--data', data]);
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${server.url}/api/2/devices/bob.json`)).status).toBe(401);
  expect((await stat(data)).mode & 0o777).toBe(0o700);
  expect((await stat(join(data, 'control.sock'))).mode & 0o777).toBe(0o600);
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  server.kill('SIGTERM');
  const created = expect.stringContaining(` [info] Created the data folder ${data}; `);
  expect(await server.ended).toMatchObject({ code: 0, stdout: '', stderr: created });
  const [account] = await readdir(join(data, 'users'));
  expect((await stat(join(data, 'users', account!))).mode & 0o777).toBe(0o700); // also after the socket was created

  const again = await startServer(['--data', data]);
  again.kill('SIGTERM');
  expect((await again.ended).stderr).not.toContain('Created');
});

const MALFORMED: Record<string, [sent: string, status: number, message: RegExp]> = {
  'an address that is not ASCII': ['GET /caf\xe9 HTTP/1.1\r\nHost: x\r\n\r\n', 400, /percent-encode spaces/],
  'headers that are too long': [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, /too long/],
  'a body that is cut off': [
    'POST /register HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nname',
    400,
    /connection closed/,
  ],
  'headers that are cut off': ['GET / HTTP/1.1\r\nHo', 400, /connection closed/],
  'two lengths': [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]',
    400,
    /length of the body/,
  ],
  'a length that is no number': [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n[]',
    400,
    /length of the body/,
  ],
  'a length and chunks': [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    /length of the body/,
  ],
  'a chunk without a length': ['POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno\r\n', 400, /chunk/],
};

it('refuses malformed requests like any other bad request, and serves the next one after a form with too many fields', async () => {
  const { port } = await startServer();
  for (const [what, [sent, status, message]] of Object.entries(MALFORMED)) {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.end(sent, 'latin1');
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head, what).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head, what).toMatch(/^access-control-allow-origin: \*\r$/m);
    expect(JSON.parse(body), what).toEqual({ code: status, message: expect.stringMatching(message) });
  }
  const socket = connect(port, '127.0.0.1');
  const type = 'Content-Type: application/x-www-form-urlencoded';
  socket.write(`POST /register HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 100\r\n\r\n${'&'.repeat(100)}`);
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*HTTP\/1\.1 200 /);
});

it('prints the next steps while there is no account', async () => {
  const data = join(await makeFolder(), "it's here");
  const first = await startServer(['--data', data]);
  const [, program, args] = await first.prints(
    /There is no account yet\. Create one with: node (\S+) (user add NAME --data .*)$/,
  );
  expect(args).toBe(`user add NAME --data '${data.replace("'", String.raw`'\''`)}'`);
  expect(program).toBe(PROGRAM);
  const [, link = ''] = await first.prints(/create the first one in a browser: (\S+)$/);
  expect((await fetch(link)).status).toBe(200);
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  first.kill('SIGTERM');
  await first.ended;

  const second = await startServer(['--data', data]);
  second.kill('SIGTERM');
  expect((await second.ended).stderr).not.toContain('no account');
});

it('prints the address to enter in apps behind a proxy', async () => {
  const server = start([
    'serve',
    '--port',
    '0',
    '--data',
    await makeFolder(),
    '--base-url',
    'https://example.org/pods/',
  ]);
  await server.prints(/ \[success\] Ready\. .* https:\/\/example\.org\/pods$/);
  await server.prints(/Listening on http:\/\/127\.0\.0\.1:\d+$/);
  await server.prints(/create the first one in a browser: https:\/\/example\.org\/pods\/register\?token=\S+$/);
});

it('does not suggest an address to apps that only the proxy uses', async () => {
  const server = await startServer(['--trust-proxy']);
  await server.prints(/Apps need the address of the proxy\. Set --base-url to show it here/);
  server.kill('SIGTERM');
  const { stderr } = await server.ended;
  expect(stderr).toMatch(/Ready\. Server address for the proxy: http:/);
  expect(stderr).not.toContain('podcast apps');
});

it('does not print the password of the storage', async () => {
  const data = await makeFolder();
  const stderr = await refuses(['--data', data, '--storage', 'nosuch:nosuch://user:hunter2@host/base']);
  expect(stderr).not.toContain('hunter2');

  const memory = './examples/memory-storage/memory-storage.js:memory://user:hunter2@host/base';
  const server = await startServer(['--storage', memory]);
  server.kill('SIGTERM');
  const said = (await server.ended).stderr;
  expect(said).toContain('memory://user:***@host/base');
  expect(said).not.toContain('hunter2');
});

it.each([
  { args: ['--host', '0.0.0.0'], warns: true },
  { args: ['--host', '0.0.0.0', '--base-url', 'http://example.org'], warns: true },
  { args: ['--host', '0.0.0.0', '--base-url', 'https://example.org'], warns: false },
  { args: ['--host', '0.0.0.0', '--tls-cert', CERT, '--tls-key', KEY], warns: false },
  { args: ['--host', '127.0.0.1'], warns: false },
])('warns if passwords are sent unencrypted: $args', async ({ args, warns }) => {
  const server = await startServer(args);
  server.kill('SIGTERM');
  expect(/\[warn\] Passwords are sent unencrypted/.test((await server.ended).stderr)).toBe(warns);
});

it.each([
  { host: '127.0.0.1', hints: true },
  { host: '0.0.0.0', hints: false },
])('says how to make the server reachable for a phone if it is not: $host', async ({ host, hints }) => {
  const server = await startServer(['--host', host]);
  server.kill('SIGTERM');
  expect(/Reachable only from this machine\. .* --host 0\.0\.0\.0$/m.test((await server.ended).stderr)).toBe(hints);
});

it('serves https with a certificate', async () => {
  const { url } = await startServer(['--tls-cert', CERT, '--tls-key', KEY]);
  expect(url).toMatch(/^https:/);
  const ca = await readFile(CERT);
  const [response] = await once(get(`${url}/api/2/devices/bob.json`, { ca }), 'response');
  expect(response.statusCode).toBe(401);
  expect(JSON.parse(await text(response))).toMatchObject({ code: 401 });
});

it('names an invalid certificate or key', async () => {
  const folder = await makeFolder();
  const data = join(folder, 'data');
  const absent = join(folder, 'absent.pem');
  expect(await refuses(['--data', data, '--tls-cert', CERT, '--tls-key', absent])).toMatch(
    /--tls-key, .*absent\.pem, .*ENOENT/,
  );
  const other = join(folder, 'other.pem');
  await writeFile(other, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  for (const [cert, key] of [
    [KEY, KEY],
    [CERT, other],
  ] as const) {
    expect(await refuses(['--data', data, '--tls-cert', cert, '--tls-key', key])).toContain(
      'are not a certificate and its key',
    );
  }
});

it('does not start on a port that is in use', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  expect(await refuses(['--data', await makeFolder(), '--port', String(port)])).toContain(
    `port ${port} of 127.0.0.1 is in use`,
  );
  holder.close();
});

it.each([
  { args: ['--port', '0', '--host', '192.0.2.1'], says: 'this machine has no address 192.0.2.1' },
  { args: ['--port', '0', '--host', 'host.invalid'], says: 'this machine has no address host.invalid' },
])('does not start if it cannot use the given address: $args', async ({ args, says }) => {
  expect(await refuses(['--data', await makeFolder(), ...args])).toContain(says);
});

it('does not start on a port that browsers block, whether or not another program uses 3000', async () => {
  const port = await findFree([6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697]);
  const blocked = `browsers block port ${port}`;
  expect(await refuses(['--data', await makeFolder(), '--port', `${port}`])).toContain(blocked);
  const holder = await hold(3000);
  expect(await refuses(['--data', await makeFolder(), '--port', `${port}`])).toContain(blocked);
  await holder?.close();
});

/** Uses a port; undefined if another program does. */
async function hold(port: number): Promise<{ close(): Promise<unknown> } | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => ({ close: () => once(server.close(), 'close') }),
    () => undefined,
  );
}

async function findFree(ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const holder = await hold(port);
    await holder?.close();
    if (holder) return port;
  }
  throw new Error(`all of the ports ${ports.join(', ')} are in use`);
}

it('does not start if its folder cannot be created', async () => {
  const file = join(await makeFolder(), 'file');
  await writeFile(file, '');
  for (const data of [file, join(file, 'data')]) {
    expect(await refuses(['--data', data])).toContain(
      `the data folder ${data} cannot be used: a part of the path is a file`,
    );
  }
});

it('does not start on damaged data', async () => {
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  await writeFile(join(data, 'podcasts.json'), '{"keys": {');
  expect(await refuses(['--data', data, '--port', '0'])).toContain(join(data, 'podcasts.json'));
});

it('does not start on the folder of another server', async () => {
  const { data } = await startServer();
  expect(await refuses(['--data', data, '--port', '0'])).toContain(`a server is already running on ${data}`);
});

it('starts again after it was killed', async () => {
  const first = await startServer();
  first.kill('SIGKILL');
  await first.ended;
  const second = await startServer(['--data', first.data]);
  expect((await run(['user', 'add', 'bob', '--generate', '--data', second.data])).code).toBe(0);
});

it('of two servers that start at once on one port, one starts', async () => {
  const port = await findPort();
  const folders = [await makeFolder(), await makeFolder()];
  const programs = folders.map((data) => start(['serve', '--port', String(port), '--data', data]));
  const loser = await Promise.race(programs.map((program) => program.ended));
  expect(loser).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^\S+Z \[error\] port \d+ of [^\n]+ is in use[^\n]+\n$/),
  });
  await Promise.any(programs.map((program) => program.prints(/Ready/)));
});

it('with --backup-every it writes a backup by itself, which `import` accepts', async () => {
  const [data, folder, restored] = [await makeFolder(), join(await makeFolder(), 'backups'), await makeFolder()];
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  const server = await startServer(['--data', data, '--backup-every', '1d', '--backup-folder', folder]);
  const health = async (): Promise<string> => (await fetch(`${server.url}/health`)).text();
  await vi.waitFor(
    async () => expect(await health()).toMatch(/^ok\npodsync \S+\nlast backup: \d+ seconds ago\n$/),
    120_000,
  );
  server.kill('SIGTERM');
  await server.ended;
  const [name, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  const { stdout } = await run(['import', join(folder, name!), '--json', '--data', restored]);
  expect(JSON.parse(stdout).accounts).toMatchObject([{ name: 'bob', problem: null }]);
});

it('refuses --metrics without a limit on who may read them, and says how to set one', async () => {
  const { code, stderr } = await run(['serve', '--metrics', '--data', await makeFolder()]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/--metrics needs --metrics-token .+ or --metrics-allow/);
});
