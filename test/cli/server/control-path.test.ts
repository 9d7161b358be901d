import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { findControlSocket } from '../../../src/cli/control-path.ts';
import { makeFolder } from '../../folder.ts';
import { run, startServer } from '../podsync.ts';

/** A folder with a path that is too long for a socket. */
const makeDeepFolder = async (): Promise<string> => join(await makeFolder(), 'deep/'.repeat(30), 'data');

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

it('if its path is too long for a socket, the socket is in the temporary folder, for its owner only', async () => {
  const data = await makeDeepFolder();
  const temporary = await makeFolder();
  const server = await startServer(['--data', data], { env: { TMPDIR: temporary } });
  const pointer = join(data, 'control.path');
  const socket = await readFile(pointer, 'utf8');
  expect(dirname(dirname(socket))).toBe(temporary);
  const modes = await Promise.all(
    [pointer, socket, dirname(socket)].map(async (path) => (await stat(path)).mode & 0o777),
  );
  expect(modes).toEqual([0o600, 0o600, 0o700]);

  // A command with another temporary folder finds it, too.
  expect((await run(['user', 'add', 'bob', '--generate', '--data', data])).code).toBe(0);

  server.kill('SIGTERM');
  await server.ended;
  expect(await Promise.all([pointer, dirname(socket)].map(isThere))).toEqual([false, false]);
});

it('does not start if the path in the temporary folder is too long, too', async () => {
  const deep = await makeDeepFolder();
  await mkdir(deep, { recursive: true });
  const { code, stderr } = await run(['serve', '--port', '0', '--data', deep], { env: { TMPDIR: deep } });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^\S+Z \[error\] .*set TMPDIR[^\n]+\n$/) });
  expect((await readdir(deep)).filter((name) => name.startsWith('podsync-'))).toEqual([]);
});

it('a path that is too long only in bytes, not in characters, is too long', async () => {
  const folder = await makeFolder();
  const data = join(folder, 'ü'.repeat(100 - join(folder, '/control.sock').length));
  const env = { TMPDIR: await makeFolder() };
  await startServer(['--data', data], { env });
  expect(await readdir(env.TMPDIR)).toHaveLength(1);
  expect((await run(['user', 'add', 'bob', '--generate', '--data', data])).code).toBe(0);
});

it('a start removes what a killed server left in the temporary folder', async () => {
  const data = await makeDeepFolder();
  const env = { TMPDIR: await makeFolder() };
  const first = await startServer(['--data', data], { env });
  const left = dirname(await readFile(join(data, 'control.path'), 'utf8'));
  first.kill('SIGKILL');
  await first.ended;
  await startServer(['--data', data], { env });
  expect(await isThere(left)).toBe(false);
});

it('if the file system does not support sockets, the socket is in the temporary folder', async () => {
  const data = await makeFolder();
  await mkdir(join(data, 'control.sock/taken'), { recursive: true });
  await startServer(['--data', data], { env: { TMPDIR: await makeFolder() } });
  expect((await run(['user', 'add', 'bob', '--generate', '--data', data])).code).toBe(0);
});

it('no server is found if there was none, if it was killed, or if the path is a regular file', async () => {
  const data = await makeFolder();
  expect(await findControlSocket(data)).toBeUndefined();
  await writeFile(join(data, 'control.sock'), '');
  expect(await findControlSocket(data)).toBeUndefined();
  await writeFile(join(data, 'control.path'), join(data, 'gone/control.sock'));
  expect(await findControlSocket(data)).toBeUndefined();
  await writeFile(join(data, 'control.path'), ''); // as a power failure may leave it
  expect(await findControlSocket(data)).toBeUndefined();

  const server = await startServer();
  expect(await findControlSocket(server.data)).toBe(join(server.data, 'control.sock'));
  server.kill('SIGKILL');
  await server.ended;
  expect(await findControlSocket(server.data)).toBeUndefined();
});

it.runIf(process.getuid?.() === 0)('a socket in a folder of another user is not trusted', async () => {
  const data = await makeFolder();
  const theirs = await makeFolder();
  const socket = join(theirs, 'control.sock');
  const server = createServer().listen(socket);
  await once(server, 'listening');
  await writeFile(join(data, 'control.path'), socket);
  expect(await findControlSocket(data)).toBe(socket);
  await chown(theirs, 65_534, 65_534);
  expect(await findControlSocket(data)).toBeUndefined();
  server.close();
});

it.runIf(process.getuid?.() === 0)(
  'a user without access to the socket learns which user to run the command as',
  async () => {
    const { data } = await startServer();
    await chmod(data, 0o755);
    process.seteuid!(65_534);
    try {
      await expect(findControlSocket(data)).rejects.toThrow(
        /this user may not use .*; run the command as the user that runs/,
      );
    } finally {
      process.seteuid!(0);
    }
  },
);
