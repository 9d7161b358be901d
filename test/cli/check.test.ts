import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadDriver, pragma } from '../../plugins/sqlite/driver.ts';
import { makeFolder } from '../folder.ts';
import { run, startServer } from './podsync.ts';
import { COUNTS, makeTwoAccounts, uploadMany } from './two-accounts.ts';

const openConnection = await loadDriver();

const SQLITE = ['--storage', 'sqlite:podsync.db'];

/** A data folder with two accounts that have the same feed. */
async function setUp(storage: readonly string[] = []) {
  const data = await makeTwoAccounts(storage);
  const podsync = (args: readonly string[], input = '') => run([...args, '--data', data, ...storage], { input });
  return { data, podsync, check: (...args: string[]) => podsync(['check', ...args]) };
}

const TABLE =
  'accounts       2\ndevices        2\nsubscriptions  2\nactions        0\nsettings       0\nlists          0\n' +
  'sessions       0\npodcasts       1\nepisodes       0\ndamage         0\n';
it('counts all records, with and without a server, and changes nothing', async () => {
  const { data, check } = await setUp();
  expect(await check()).toEqual({ code: 0, stdout: TABLE, stderr: '' });
  expect(await check('--repair')).toEqual({ code: 0, stdout: TABLE, stderr: '' });
  await startServer(['--data', data]);
  expect(await check()).toEqual({ code: 0, stdout: TABLE, stderr: '' });
  const { stdout } = await check('--json', '--repair');
  expect(JSON.parse(stdout)).toEqual({ counts: COUNTS, damage: [], repaired: [], backup: null });
  expect((await readdir(data)).filter((name) => name.includes('repair'))).toEqual([]);
});

it('names the account that cannot be read, and checks the others', async () => {
  const { data, check, podsync } = await setUp();
  await uploadMany(data, 'bob');
  const paths = await readdir(join(data, 'users'), { recursive: true });
  const file = join(
    data,
    'users',
    paths.find((path) => path.endsWith('actions.json'))!,
  );
  await writeFile(file, 'x');
  for (const result of [await check(), await check('--repair')]) {
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\[error\] some damage cannot be repaired; copy the data, then[^\n]+\n$/),
    });
    expect(result.stdout).toMatch(/^accounts {7}2$/m);
    expect(result.stdout).toMatch(/^damage {9}1\ndamage: account bob: .*actions\.json .*\n$/m);
  }
  expect(await readFile(file, 'utf8')).toBe('x');

  const backup = join(data, 'old.ndjson');
  await writeFile(backup, 'old content');
  expect(await podsync(['export', '--format', 'backup', '-o', backup])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^\[error\] [^\n]*actions\.json [^\n]+\n$/),
  });
  expect(await readFile(backup, 'utf8')).toBe('old content');
});

it.each([
  ['data', 'users', 'accounts whose data is missing: bob, eve; restore the storage from a backup'],
  ['name', 'logins.json', 'accounts whose names are missing: bob, eve; restore the storage from a backup'],
])(
  'does not mistake accounts that have lost their %s for wrong counts, which could be repaired',
  async (_what, file, problem) => {
    const { data, check } = await setUp();
    await rm(join(data, file), { recursive: true });
    for (const args of [['--json'], ['--json', '--repair']]) {
      const { code, stdout } = await check(...args);
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, damage: [{ problem }], repaired: [] });
    }
  },
);

it('reports a storage that cannot be opened', async () => {
  const { data, check } = await setUp();
  await writeFile(join(data, 'podcasts.json'), '{"keys": {');
  const { code, stdout, stderr } = await check('--json');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^\[error\] some damage [^\n]+\n$/) });
  expect(JSON.parse(stdout)).toEqual({
    counts: null,
    damage: [{ where: 'storage', problem: expect.stringMatching(/podcasts\.json/) }],
    repaired: [],
    backup: null,
  });
});

it('--repair corrects subscriber counts after writing a backup', async () => {
  const { data, check } = await setUp(SQLITE);
  miscount(data);
  const problem = 'the subscribers of 1 podcast are counted incorrectly';
  const found = await check();
  expect(found).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^\[error\] damage found; repair it with: .* check --repair --data .*\n$/),
  });
  expect(found.stdout).toMatch(`damage         1\ndamage: directory: ${problem}\n`);

  const repaired = await check('--repair', '--json');
  expect(repaired).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^\[success\] Wrote a backup of 2 accounts to \S+before-repair/),
  });
  const { damage, repaired: repairs, backup } = JSON.parse(repaired.stdout);
  expect({ damage, repairs }).toEqual({ damage: [], repairs: [{ where: 'directory', problem }] });
  expect((await stat(backup)).mode & 0o777).toBe(0o600);
  const { stdout } = await run(['import', backup, '--dry-run', '--json', '--data', await makeFolder()]);
  expect(JSON.parse(stdout).accounts).toMatchObject([
    { name: 'bob', password: true, problem: null },
    { name: 'eve', password: true, problem: null },
  ]);
  expect(await check()).toEqual({ code: 0, stdout: TABLE, stderr: '' });
});

it('--repair corrects subscriber counts if no account is left', async () => {
  const { data, check, podsync } = await setUp(SQLITE);
  for (const name of ['bob', 'eve']) await podsync(['user', 'remove', name, '--yes']);
  miscount(data);
  expect(await check('--repair')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^repaired: directory: /m) });
});

it('a starting server corrects subscriber counts', async () => {
  const { data } = await setUp(SQLITE);
  miscount(data);
  const server = await startServer(['--data', data, ...SQLITE]);
  await server.prints(/ \[warn\] wrong subscriber counts of 1 podcast were corrected$/);
});

it('finds a damaged index of SQLite, which no read detects', async () => {
  const { data, check } = await setUp(SQLITE);
  await damageIndex(join(data, 'podsync.db'));
  const { code, stdout } = await check();
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^damage {9}1\ndamage: storage: \/.*\/podsync\.db is damaged, or its disk is failing; check the disk, then restore the file from a backup \(.*\)\n$/m,
    ),
  });
});

/** Stores a subscriber of the podcast who does not exist. */
function miscount(data: string): void {
  const database = openConnection(join(data, 'podsync.db'));
  database.exec(`
    INSERT INTO entries (key, value, version)
    SELECT 'f/' || substr(key, 3, 22) || '/nobody', '1', 1 FROM entries WHERE key LIKE 'p/%/url'`);
  expect(database.prepare<[], { changed: number }>('SELECT changes() AS changed').get()).toEqual({ changed: 1 });
  database.close();
}

/** Swaps two entries of the index of an SQLite file, as a bad disk may. */
async function damageIndex(path: string): Promise<void> {
  const database = openConnection(path);
  const { rootpage } = database
    .prepare<[], { rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE type = 'index'")
    .get()!;
  const size = pragma<number>(database, 'page_size');
  database.close();
  const bytes = await readFile(path);
  const page = bytes.subarray((rootpage - 1) * size, rootpage * size);
  const cells = 8; // start of the cell offsets of a leaf page
  const [first, second] = [page.readUInt16BE(cells), page.readUInt16BE(cells + 2)];
  page.writeUInt16BE(second, cells);
  page.writeUInt16BE(first, cells + 2);
  await writeFile(path, bytes);
}
