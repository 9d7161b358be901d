import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { createClient, PROGRAM, runPodsync, type RunningServer, serve } from './program.ts';

const EPISODES = '/api/2/episodes/bob.json';
const SIZE = 4 * 1024 * 1024;

const createBatch = (batch: number): object[] =>
  Array.from({ length: 200 }, (_, index) => ({
    podcast: 'http://example.org/feed',
    episode: `http://example.org/${batch}/${index}.mp3`,
    action: 'download',
    timestamp: '2024-05-06T07:08:09',
  }));

it.each(['json', 'sqlite:podsync.db'])(
  'on a full disk uploads are refused with 507 and not stored, until there is space again: %s',
  { timeout: 600_000 },
  async (storage) => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    const program = [
      'sh',
      '-c',
      `mount -t tmpfs -o size=${SIZE} none "${folder}" && mkdir -m 700 "${data}" && exec "$@"`,
      'sh',
    ];
    // A separate file system, which only the server sees.
    const server: RunningServer = await serve(
      ['--data', data, '--storage', storage],
      ['unshare', '--map-root-user', '--mount', ...program],
    );
    const inside = (path: string): string => `/proc/${server.process.pid}/root${path}`;
    await runPodsync(
      ['user', 'add', 'bob', '--password-stdin', '--data', inside(data), '--storage', storage],
      'secret\n',
    );
    const request = createClient(() => server, 'bob:secret');

    const answered: number[] = [];
    const refused: number[] = [];
    const upload = async (batch: number): Promise<number> => {
      const { status } = await request('POST', EPISODES, createBatch(batch));
      (status === 200 ? answered : refused).push(batch);
      return status;
    };
    const stored = async (): Promise<string[]> => {
      const answer = await request('GET', EPISODES);
      expect(answer.status).toBe(200);
      const { actions } = (await answer.json()) as { actions: { episode: string }[] };
      return actions.map(({ episode }) => episode);
    };
    const expected = (): string[] =>
      answered.flatMap((batch) => createBatch(batch).map((action) => (action as { episode: string }).episode));

    expect(await upload(0)).toBe(200);
    const ballast = inside(join(folder, 'ballast'));
    await writeFile(ballast, Buffer.alloc(SIZE)).catch(() => undefined); // fills the rest
    let batch = 1;
    while ((await upload(batch)) === 200) batch += 1;
    expect(await upload(++batch)).toBe(507);
    expect(await stored()).toEqual(expected());

    await unlink(ballast);
    expect(await upload(++batch)).toBe(200);
    expect(await upload(refused[0]!)).toBe(200);
    expect(await stored()).toEqual(expected());

    await server.kill('SIGTERM');
  },
);

it('data of a process killed on a full disk can be read', { timeout: 600_000 }, async () => {
  const folder = await makeFolder();
  const lock = JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, started: '' }); // of a process that has ended
  const script = `mount -t tmpfs -o size=256k none "$0" && cd "$0" && mkdir data &&
    echo secret | node "$1" user add bob --password-stdin --data data 2> /dev/null &&
    echo '${lock}' > data/lock.${randomUUID()} && ! cat /dev/zero > ballast 2> /dev/null && node "$1" user list --json --data data`;
  const run = promisify(execFile)('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, folder, PROGRAM]);
  expect(JSON.parse((await run).stdout)).toMatchObject([{ name: 'bob' }]);
});

it('a command on a full disk reports it, and leaves nothing there', { timeout: 600_000 }, async () => {
  const folder = await makeFolder();
  const script = `mount -t tmpfs -o size=64k none "$0" && cd "$0" && mkdir data && ! cat /dev/zero > ballast 2> /dev/null &&
    { node "$1" user list --data data --storage json; ls -A data; }`;
  const run = promisify(execFile)('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, folder, PROGRAM]);
  const { stdout, stderr } = await run;
  expect(stdout).toBe('');
  expect(stderr).toBe(`[error] no space left to write ${folder}/data; free some space and try again\n`);
});
