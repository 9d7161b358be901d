import { readdir, rm, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { BackupRecord } from '../../../src/formats/backup/record.ts';
import { writeBackup } from '../../../src/formats/backup/write.ts';
import { makeFolder } from '../../folder.ts';
import { makeCopy, run, startServer } from '../podsync.ts';

const ONE_SENTENCE = /^\[error\] [^\n]+\n$/;
const FEED = 'https://feeds.example/1';
const OPML = `<opml version="2.0"><head/><body><outline type="rss" text="One" xmlUrl="${FEED}"/></body></opml>`;

/** A data folder with these accounts, each with the password `secret` and a device with one feed. */
async function setUp(...names: string[]) {
  const data = await makeCopy(names.join(' '), async (folder) => {
    for (const name of names) {
      const fill = (args: readonly string[], input: string) => run([...args, '--data', folder], { input });
      await fill(['user', 'add', name, '--password-stdin', '--email', `${name}@example.org`], 'secret');
      await fill(['import-opml', '-', '--user', name, '--device', 'phone'], OPML);
    }
  });
  const files = await makeFolder();
  const podsync = (args: readonly string[], input = '') => run([...args, '--data', data], { input, cwd: files });
  const backUp = (...args: string[]) => podsync(['export', '--format', 'backup', ...args]);
  return { data, files, podsync, backUp, inFile: (name: string) => readFile(join(files, name)) };
}

const logIn = async (url: string, name: string): Promise<number> =>
  (await fetch(`${url}/api/2/devices/${name}.json`, { headers: { authorization: `Basic ${btoa(`${name}:secret`)}` } }))
    .status;

it('a backup of a storage without accounts does not replace an existing one', async () => {
  const { data, backUp, inFile } = await setUp('bob');
  await backUp('-o', 'all.ndjson');
  const good = await inFile('all.ndjson');
  const elsewhere = ['--storage', 'sqlite:other.db', '-o', 'all.ndjson'];
  const missing = await backUp(...elsewhere);
  await rm(join(data, 'podsync.json')); // which says that this folder is used with JSON
  const server = await startServer(['--data', data, '--storage', 'sqlite:other.db']);
  const beside = await backUp(...elsewhere);
  server.kill('SIGTERM');
  await server.ended;
  const alone = await backUp(...elsewhere);
  for (const [refused, says] of [
    [missing, /^\[error\] no storage found/],
    [beside, /^\[error\] there is no account/],
    [alone, /^\[error\] there is no account/],
  ] as const) {
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) });
  }
  expect(await inFile('all.ndjson')).toEqual(good);
});

it('an import restores exactly what was exported, compressed or not, with and without a server', async () => {
  const { data, podsync, backUp, files, inFile } = await setUp('bob', 'eve');
  await podsync(['toplist', 'rebuild']); // as a server does when it starts
  expect(await backUp('-o', 'all.ndjson')).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^\[success\] Wrote a backup of 2 accounts to \S*all\.ndjson \(\d+ kB\)\n$/),
  });
  expect((await stat(join(files, 'all.ndjson'))).mode & 0o777).toBe(0o600);
  const alone = (await inFile('all.ndjson')).toString();
  expect(alone).toMatch(/"name":"bob"[^]+"name":"eve"[^]+"kind":"podcast"/);

  const server = await startServer(['--data', data]);
  expect(await backUp()).toEqual({ code: 0, stdout: alone, stderr: '' });
  expect((await backUp('-o', 'all.ndjson.gz')).code).toBe(0);
  expect(gunzipSync(await inFile('all.ndjson.gz')).toString()).toBe(alone);
  expect((await readdir(files)).toSorted()).toEqual(['all.ndjson', 'all.ndjson.gz']);

  await podsync(['user', 'remove', 'bob', '--yes']);
  const back = await podsync(['import', 'all.ndjson.gz']);
  expect(back.stdout).toBe(
    'NAME  DEVICES  SUBSCRIPTIONS  ACTIONS  LISTS  RESULT\n' +
      'bob   1        1              0        0      imported\n' +
      'eve   1        1              0        0      skipped: an account with this name already exists\n' +
      'directory: 1 podcast, 0 episodes\n',
  );
  expect(back).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/account eve was skipped: an account with this name/),
  });
  expect(await logIn(server.url, 'bob')).toBe(200);

  const fresh = await setUp();
  const restored = await fresh.podsync(['import', join(files, 'all.ndjson'), '--json']);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  const counts = { devices: 1, subscriptions: 1, actions: 0, lists: 0, password: true, problem: null };
  expect(JSON.parse(restored.stdout)).toEqual({
    accounts: [
      { name: 'bob', ...counts },
      { name: 'eve', ...counts },
    ],
    podcasts: 1,
    episodes: 0,
  });
  expect(await fresh.backUp()).toEqual({ code: 0, stdout: alone, stderr: '' });
});

it('an import creates a missing data folder or storage', async () => {
  const { backUp, files } = await setUp('bob');
  await backUp('-o', 'all.ndjson');
  for (const storage of ['json', 'sqlite:new.db']) {
    const place = ['--data', join(await makeFolder(), 'new'), '--storage', storage];
    const stderr = expect.stringMatching(/^\[info\] Created the data folder [^\n]+\n$/);
    expect(await run(['import', join(files, 'all.ndjson'), ...place])).toMatchObject({ code: 0, stderr });
    expect((await run(['user', 'list', ...place])).stdout).toMatch(/^bob /m);
  }
});

it('a backup is readable for its owner only, even if it replaces a file that others could read', async () => {
  const { backUp, files, inFile } = await setUp('bob');
  await writeFile(join(files, 'all.ndjson'), 'old content', { mode: 0o644 });
  expect((await backUp('-o', 'all.ndjson')).code).toBe(0);
  expect((await inFile('all.ndjson')).toString()).toContain('passwordHash');
  expect((await stat(join(files, 'all.ndjson'))).mode & 0o777).toBe(0o600);
});

it('says how many accounts were skipped', async () => {
  const { podsync, backUp } = await setUp('bob', 'eve');
  await backUp('-o', 'all.ndjson');
  const stderr = '[error] 2 accounts were skipped, for the reasons above\n';
  expect(await podsync(['import', 'all.ndjson'])).toMatchObject({ code: 1, stderr });
});

it('repeating an import that was stopped before the directory imports the directory', async () => {
  const { backUp, files } = await setUp('bob');
  await backUp('-o', 'all.ndjson');
  await backUp('--user', 'bob', '-o', 'bob.ndjson');
  const fresh = await setUp();
  await fresh.podsync(['import', join(files, 'bob.ndjson')]);
  const list = () => fresh.podsync(['export', '--user', 'bob', '--format', 'json']);
  expect(JSON.parse((await list()).stdout)).toEqual([{ url: FEED }]);
  const again = await fresh.podsync(['import', join(files, 'all.ndjson')]);
  expect(again).toMatchObject({ code: 1, stdout: expect.stringMatching(/^directory: 1 podcast,/m) });
  expect(JSON.parse((await list()).stdout)).toEqual([{ url: FEED, title: 'One' }]);
});

it('--dry-run reports what would be imported, and changes nothing', async () => {
  const { backUp, files } = await setUp('bob');
  await backUp('-o', 'all.ndjson');
  const fresh = await setUp();
  const result = await fresh.podsync(['import', join(files, 'all.ndjson'), '--dry-run']);
  expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^bob .* can be imported$/m), stderr: '' });
  expect((await fresh.podsync(['user', 'list', '--json'])).stdout).toBe('[]\n');
});

it.each([
  [['bob'], '1 line of the backup has a time more than a day in the future, which was set back;'],
  [['bob', 'eve'], '2 lines of the backup have times more than a day in the future, which were set back;'],
])('warns that times in the future were set back, as the clock may be wrong: %j', async (names, says) => {
  const { files, podsync } = await setUp();
  const passwordHash = `$2b$10$${'x'.repeat(53)}`;
  const records = names.map((name): BackupRecord => ({
    kind: 'user',
    name,
    passwordHash,
    createdAt: 1,
    stamp: 2 ** 40,
  }));
  await writeFile(join(files, 'future.ndjson'), writeBackup(Readable.from([records])));
  const warning = `[warn] ${says} check the clock of this machine\n`;
  const dry = await podsync(['import', 'future.ndjson', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: warning.replace(/(?:was|were) set/, 'would be set') });
  expect(await podsync(['import', 'future.ndjson'])).toMatchObject({ code: 0, stderr: warning });
});

it('--dry-run creates no data folder and no storage', async () => {
  const { data, backUp, files } = await setUp('bob');
  await backUp('-o', 'all.ndjson');
  const dryRun = (...place: string[]) => run(['import', join(files, 'all.ndjson'), '--dry-run', ...place]);
  const missing = await dryRun('--data', join(files, 'missing'));
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/missing does not exist; select/) });
  expect((await dryRun('--data', data, '--storage', 'sqlite:missing.db')).code).toBe(1);
  expect(await readdir(files)).toEqual(['all.ndjson']);
  expect(await readdir(data)).not.toContain('missing.db');
});

it('--as creates a copy under another name', async () => {
  const { podsync, backUp } = await setUp('bob');
  await backUp('--user', 'bob', '-o', 'bob.ndjson');
  expect(await podsync(['import', 'bob.ndjson', '--as', 'robert'])).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await podsync(['user', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { name: 'bob', email: 'bob@example.org' },
    { name: 'robert', email: null, subscriptions: 1 },
  ]);
});

it('--no-passwords: nobody can log in until a new password is set, and a warning says so', async () => {
  const { backUp, files, inFile } = await setUp('bob');
  expect((await backUp('--no-passwords', '-o', 'all.ndjson')).code).toBe(0);
  expect((await inFile('all.ndjson')).toString()).not.toContain('passwordHash');
  const fresh = await setUp();
  const dry = await fresh.podsync(['import', join(files, 'all.ndjson'), '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  const { code, stderr } = await fresh.podsync(['import', join(files, 'all.ndjson')]);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^\[warn\] The backup contains no passwords\. .* user passwd bob --data \S+\n$/),
  });
  const server = await startServer(['--data', fresh.data]);
  expect(await logIn(server.url, 'bob')).toBe(401);
  await fresh.podsync(['user', 'passwd', 'bob', '--password-stdin'], 'secret');
  expect(await logIn(server.url, 'bob')).toBe(200);
});

describe.each(['in-process', 'beside a server'])('a truncated or altered backup, %s', (place) => {
  it('is refused with the line in the error, and changes nothing', async () => {
    const { backUp, inFile } = await setUp('bob', 'eve');
    await backUp('-o', 'all.ndjson');
    const backup = (await inFile('all.ndjson')).toString();
    const lines = backup.split('\n').length - 1;
    const fresh = await setUp();
    if (place !== 'in-process') await startServer(['--data', fresh.data]);
    const altered = backup.slice(0, backup.indexOf('"eve"')).split('\n').length;
    for (const [text, says] of [
      [backup.slice(0, -10), `line ${lines} of the backup was cut off or altered`],
      [backup.slice(0, backup.lastIndexOf('{')), `the backup ends after line ${lines - 1}, without its last line`],
      [backup.replace('"eve"', '"eva"'), `line ${altered} of the backup was cut off or altered`],
    ] as const) {
      await writeFile(join(fresh.files, 'bad.ndjson'), text);
      const { code, stdout, stderr } = await fresh.podsync(['import', 'bad.ndjson']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(ONE_SENTENCE);
      expect(stderr).toMatch(says);
    }
    expect((await fresh.podsync(['user', 'list', '--json'])).stdout).toBe('[]\n');
  });
});

describe('-o', () => {
  it('does not change the file if there is nothing to write', async () => {
    const { backUp, files, inFile } = await setUp('bob');
    await writeFile(join(files, 'old.ndjson'), 'old content');
    const result = await backUp('--user', 'bob', '--user', 'nobody', '-o', 'old.ndjson');
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/there is no account with the name or e-mail address nobody/),
    });
    expect((await inFile('old.ndjson')).toString()).toBe('old content');
    expect(await readdir(files)).toEqual(['old.ndjson']);
  });

  it('names the file that cannot be written', async () => {
    const { backUp } = await setUp('bob');
    const { code, stderr } = await backUp('-o', 'no/all.ndjson.gz');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(ONE_SENTENCE) });
    expect(stderr).toMatch(/no\/all\.ndjson\.gz cannot be written \(ENOENT\)/);
  });
});

it.each([
  [['export', '--format', 'backup', '--device', 'phone'], 2, /--device is only for subscriptions/],
  [['export', '--user', 'bob', '--user', 'eve'], 2, /give --user once/],
  [['export', '--user', 'bob', '--no-passwords'], 2, /--no-passwords is only for --format backup/],
  [['import'], 2, /missing required argument 'file'/],
  [['import', 'nothing.ndjson'], 1, /nothing\.ndjson cannot be read \(ENOENT\)/],
  [['import', '.'], 1, /\. cannot be imported: it must be a file, because a backup is read twice/],
  [['import', '-'], 1, /- cannot be imported: it must be a file, because a backup is read twice/],
])('refuses %j with a reason', async (args, code, says) => {
  const { podsync } = await setUp();
  expect(await podsync(args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
});
