import { createWriteStream } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import type { BackupRecord } from '../../../src/formats/backup/record.ts';
import { writeBackup } from '../../../src/formats/backup/write.ts';
import { makeFolder } from '../../folder.ts';
import { run, start, startServer } from '../podsync.ts';

const FEED = 'https://feeds.example/1';
const HASH = `$2b$10$${'x'.repeat(53)}`;
const BLOCKED_ACTIONS = `${join(import.meta.dirname, '../storages/blocked-actions.js')}:slow`;
const BLOCKED_LOOKUP = `${join(import.meta.dirname, '../storages/blocked-lookup.js')}:lookup`;

/** A backup of alice that is too large for the buffers of a stream. */
async function makeBackup(): Promise<string> {
  const records = async function* (): AsyncIterable<BackupRecord[]> {
    yield [{ kind: 'user', name: 'alice', passwordHash: HASH, createdAt: 1, stamp: 100_000 }];
    for (let page = 0; page < 30; page++) {
      yield Array.from({ length: 1000 }, (_, n) => ({
        kind: 'action',
        action: { podcast: FEED, episode: `${FEED}/${page}/${n}.mp3`, action: 'new', timestamp: n },
        stamp: page,
        uploadedAt: page,
      }));
    }
  };
  const file = join(await makeFolder(), 'alice.ndjson');
  await pipeline(writeBackup(records()), createWriteStream(file));
  return file;
}

/** The plugins above keep their data in JSON: for podsync another storage, which it would refuse in the same data folder. */
const forgetStorage = (data: string): Promise<void> => rm(join(data, 'podsync.json'));

/** Runs a command until it is blocked by the storage, and presses Ctrl-C. Returns its last message. */
async function stop(...args: string[]): Promise<string | undefined> {
  const program = start(args);
  await program.prints(/(looking up|transferring) an account/);
  program.kill('SIGINT');
  const { code, stdout, stderr } = await program.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr.trimEnd().split('\n').at(-1);
}

const listUsers = async (...options: string[]): Promise<unknown[]> => {
  const { stdout } = await run(['user', 'list', '--json', ...options]);
  return JSON.parse(stdout) as unknown[];
};

it('a stopped import leaves nothing of the account, and says how to continue', async () => {
  const file = await makeBackup();
  const data = await makeFolder();
  expect(await stop('import', file, '--data', data, '--storage', BLOCKED_ACTIONS)).toBe(
    '[error] stopped: complete accounts were imported, and running the command again imports the others',
  );
  expect(await listUsers('--data', data, '--storage', 'json:slow')).toEqual([]);
  await forgetStorage(data);
  const again = await run(['import', file, '--data', data, '--storage', 'json:slow']);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^alice .* 30000 .* imported$/m) });
});

it('an import that is stopped after its file was checked says that nothing was changed', async () => {
  const [home, data] = [await makeFolder(), await makeFolder()];
  await run(['user', 'add', 'bob', '--generate', '--data', home]);
  const file = join(home, 'bob.ndjson');
  await run(['export', '--format', 'backup', '-o', file, '--data', home]);
  expect(await stop('import', file, '--data', data, '--storage', BLOCKED_LOOKUP)).toBe(
    '[error] stopped: nothing was changed',
  );
  expect(await listUsers('--data', data, '--storage', 'json:lookup')).toEqual([]);
});

it('a stopped export does not change an existing file', async () => {
  const data = await makeFolder();
  await run(['import', await makeBackup(), '--data', data, '--storage', 'json:slow']);
  const folder = await makeFolder();
  const file = join(folder, 'old.ndjson.gz');
  await writeFile(file, 'old content');
  expect(await stop('export', '--format', 'backup', '-o', file, '--data', data, '--storage', BLOCKED_ACTIONS)).toBe(
    '[error] stopped: no backup was written',
  );
  expect(await readFile(file, 'utf8')).toBe('old content');
  expect(await readdir(folder)).toEqual(['old.ndjson.gz']);
});

it('an export that is stopped before the first record says that no backup was written', async () => {
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--generate', '--data', data, '--storage', 'json:lookup']);
  const file = join(data, 'bob.ndjson');
  const options = ['-o', file, '--data', data, '--storage', BLOCKED_LOOKUP];
  expect(await stop('export', '--format', 'backup', '--user', 'bob', ...options)).toBe(
    '[error] stopped: no backup was written',
  );
  expect(await readdir(data)).not.toContain('bob.ndjson');
});

it('an export from a server that dies does not change an existing file', async () => {
  const data = await makeFolder();
  await run(['import', await makeBackup(), '--data', data, '--storage', 'json:slow']);
  const folder = await makeFolder();
  const file = join(folder, 'old.ndjson');
  await writeFile(file, 'old content');
  await forgetStorage(data);
  const server = await startServer(['--data', data, '--storage', BLOCKED_ACTIONS]);
  const program = start(['export', '--format', 'backup', '-o', file, '--data', data, '--storage', BLOCKED_ACTIONS]);
  await server.prints(/transferring an account/);
  server.kill('SIGKILL');
  expect(await program.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: '[error] the response of the server is incomplete: it was stopped, or its log has the reason; try again\n',
  });
  expect(await readFile(file, 'utf8')).toBe('old content');
  expect(await readdir(folder)).toEqual(['old.ndjson']);
});

/** A server that runs a command, and the command that waits for it. */
async function startWaiting() {
  const data = await makeFolder();
  await run(['import', await makeBackup(), '--data', data, '--storage', 'json:slow']);
  await forgetStorage(data);
  const options = ['--data', data, '--storage', BLOCKED_ACTIONS];
  const server = await startServer(options);
  const program = start(['check', ...options]);
  await server.prints(/transferring an account/);
  return { server, program };
}

it('a waiting command reports that the server died', async () => {
  const { server, program } = await startWaiting();
  server.kill('SIGKILL');
  const { code, stderr } = await program.ended;
  expect({ code, last: stderr.trimEnd().split('\n').at(-1) }).toEqual({
    code: 1,
    last: '[error] the response of the server is incomplete: it was stopped, or its log has the reason; try again',
  });
});

it('a command that changes data reports that the server died, and that the change may have been made', async () => {
  const data = await makeFolder();
  const server = await startServer(['--data', data, '--storage', BLOCKED_LOOKUP]);
  const program = start(['user', 'rename', 'bob', 'robert', '--data', data]);
  await server.prints(/looking up an account/);
  server.kill('SIGKILL');
  expect(await program.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^\[error\] the connection to the server was lost before it responded .*; check whether the change was made [^\n]+\n$/,
    ),
  });
});

it('Ctrl-C ends a waiting command, and the server continues', async () => {
  const { program } = await startWaiting();
  program.kill('SIGINT');
  expect(await program.ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/stopped waiting; the server continues in the background\n$/),
  });
});

it('a stopped migration leaves the target empty and the source unchanged', async () => {
  const data = await makeFolder();
  await run(['import', await makeBackup(), '--data', data]);
  expect(await stop('migrate', '--from', 'json', '--to', BLOCKED_ACTIONS, '--data', data)).toBe(
    '[error] stopped: the target is empty again',
  );
  expect(await listUsers('--data', data, '--storage', 'json:slow')).toEqual([]);
  expect(await listUsers('--data', data)).toHaveLength(1);
  const again = await run(['migrate', '--from', 'json', '--to', 'json:slow', '--data', data]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^actions {8}30000$/m) });
});
