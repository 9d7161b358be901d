import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../cli/podsync.ts';
import { makeFolder } from '../../folder.ts';
import { startServer, type TestServer, TLS } from '../../postgres/server.ts';

const TRUST = { NODE_EXTRA_CA_CERTS: join(TLS, 'cert.pem') };

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ tls: true });
});
afterAll(() => server.destroy());

/** In a process of its own, as Node reads `NODE_EXTRA_CA_CERTS` when it starts. */
async function list(host: string, sslmode: string, env: Record<string, string> = {}) {
  const { href } = Object.assign(new URL(server.url), { hostname: host, search: sslmode && `?sslmode=${sslmode}` });
  return run(['user', 'list', '--json', '--data', await makeFolder(), '--storage', href], { env });
}

it.each(['localhost', '127.0.0.1'])('sslmode=verify-full accepts the certificate of %s', async (host) => {
  expect(await list(host, 'verify-full', TRUST)).toMatchObject({ stdout: '[]\n', stderr: '', code: 0 });
});

it('sslmode=verify-full refuses the certificate of another address', async () => {
  const { stderr, code } = await list('127.0.0.2', 'verify-full', TRUST);
  expect({ stderr, code }).toMatchObject({
    stderr: expect.stringContaining('has a certificate for another host'),
    code: 1,
  });
});

it('sslmode=verify-full refuses a certificate that nobody vouches for, and says how to trust it', async () => {
  const { stderr, code } = await list('localhost', 'verify-full');
  expect({ stderr, code }).toMatchObject({ stderr: expect.stringContaining('NODE_EXTRA_CA_CERTS'), code: 1 });
});

it('sslmode=require accepts any certificate', async () => {
  expect(await list('127.0.0.2', 'require')).toMatchObject({ stdout: '[]\n', code: 0 });
});

it.each([
  ['verify-full', '127.0.0.1', '', 0],
  ['verify-full', '127.0.0.2', '', 1],
  ['verify-full', '127.0.0.2', 'require', 0],
  ['require', '127.0.0.2', '', 0],
  ['disable', '127.0.0.2', '', 0],
])('PGSSLMODE=%s, with %s and sslmode=%s in the URL, exits with %d', async (PGSSLMODE, host, sslmode, code) => {
  expect(await list(host, sslmode, { ...TRUST, PGSSLMODE })).toMatchObject({ code });
});
