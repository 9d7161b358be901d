import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run, startServer } from './podsync.ts';
import { FEED, makeTwoAccounts, uploadMany } from './two-accounts.ts';

/** A data folder with two accounts, a backup of it, and the folder of the first account. */
async function setUp() {
  const data = await makeTwoAccounts([], (folder) => uploadMany(folder, 'bob'));
  const podsync = (...args: string[]) => run([...args, '--data', data]);
  const backup = join(data, 'all.ndjson');
  await podsync('export', '--format', 'backup', '-o', backup);
  const folders = (await readdir(join(data, 'users'))).map((id) => join(data, 'users', id));
  const accounts = await Promise.all(folders.map((folder) => readFile(join(folder, 'account.json'), 'utf8')));
  const folder = folders[accounts.findIndex((account) => account.includes('"bob"'))]!;
  return { data, podsync, backup, folder };
}

const DAMAGE: [string, (folder: string) => Promise<void>][] = [
  ['data is missing', (folder) => rm(folder, { recursive: true })],
  ['data cannot be read', (folder) => writeFile(join(folder, 'account.json'), '{"x')],
  ['actions cannot be read', (folder) => writeFile(join(folder, 'actions.json'), '{"x')],
];

it.each(DAMAGE)('an account whose %s can be removed, and imported again', async (_what, damage) => {
  const { data, podsync, backup, folder } = await setUp();
  await damage(folder);
  const check = await podsync('check');
  expect(check).toMatchObject({ code: 1, stdout: expect.stringMatching(/^damage: .*\bbob\b/m) });
  expect(check.stderr).toMatch(/remove it: .* user remove NAME --yes --data /);
  expect(check.stdout, 'the other account is checked').toMatch(/^devices {8}[12]$/m);

  expect(await podsync('user', 'remove', 'bob', '--yes')).toMatchObject({ code: 0 });
  const names = async () => JSON.parse((await podsync('user', 'list', '--json')).stdout).map(({ name }: never) => name);
  expect(await names()).toEqual(['eve']);
  expect(await podsync('export', '--format', 'backup', '-o', join(data, 'rest.ndjson'))).toMatchObject({ code: 0 });
  const server = await startServer(['--data', data]);
  server.kill('SIGTERM');
  await server.ended;

  expect(await podsync('import', backup)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^bob .* imported\neve .* skipped: /m),
  });
  expect(await names()).toEqual(['bob', 'eve']);
});

it.each(DAMAGE.slice(0, 2))('an account whose %s is named after the list of the others', async (_what, damage) => {
  const { data, podsync, folder } = await setUp();
  await damage(folder);
  const list = await podsync('user', 'list');
  expect(list).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^NAME .*\neve .*\n$/),
    stderr: expect.stringMatching(
      /^\[warn\] account bob: .+\n\[error\] the list is complete except for 1 damaged account; for advice: .* check --data .*\n$/,
    ),
  });
  const server = await startServer(['--data', data]);
  expect(await podsync('user', 'list'), 'by the server').toEqual(list);
  server.kill('SIGTERM');
  await server.ended;
});

it.each(DAMAGE)('a backup with an account whose %s does not replace an earlier one', async (_what, damage) => {
  const { podsync, backup, folder } = await setUp();
  const earlier = await readFile(backup, 'utf8');
  await damage(folder);
  const failed = await podsync('export', '--format', 'backup', '-o', backup);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/ is (missing|damaged); .*\n$/) });
  expect(await readFile(backup, 'utf8')).toBe(earlier);
});

it.each(DAMAGE)('an account whose %s does not keep the server from serving the others', async (_what, damage) => {
  const { data, folder } = await setUp();
  await damage(folder);
  const server = await startServer(['--data', data]);
  const answer = await fetch(`${server.url}/subscriptions/eve.json`, {
    headers: { authorization: `Basic ${btoa('eve:secret')}` },
  });
  expect(await answer.json()).toEqual([FEED]);
  server.kill('SIGTERM');
  await server.ended;
});

it('what cannot be read of a removed account stays, a warning names it, and it can be deleted', async () => {
  const { data, podsync, folder } = await setUp();
  const file = join(folder, 'actions.json');
  await writeFile(file, '{"x');
  const warning = `[warn] some data of a removed account is still stored: ${file} is damaged; `;
  const removed = await podsync('user', 'remove', 'bob', '--yes');
  expect(removed.stderr).toContain(warning);
  expect((await podsync('user', 'list')).stderr, 'tried again').toContain(warning);
  await rm(folder, { recursive: true });
  expect(await podsync('check')).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(data)).not.toContain('other');
});

it('commands explain what to do about an account whose data is missing', async () => {
  const { podsync, folder } = await setUp();
  await rm(folder, { recursive: true });
  for (const args of [
    ['user', 'show', 'bob'],
    ['user', 'passwd', 'bob', '--generate'],
    ['export', '--user', 'bob', '--format', 'backup'],
    ['pull', 'http://127.0.0.1:1', '--user', 'bob', '--nextcloud'],
  ]) {
    expect(await podsync(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/data of this account is missing; .* `podsync user remove NAME --yes`\n$/),
    });
  }
});
