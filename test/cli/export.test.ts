import { execFileSync } from 'node:child_process';
import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { makeCopy, run, startServer } from './podsync.ts';

const ONE_SENTENCE = /^\[error\] [^\n]+\n$/;

const OPML = `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>Subscriptions of bob</title>
  </head>
  <body>
    <outline type="rss" text="One &amp; only" title="One &amp; only" xmlUrl="https://feeds.example/1?a=1&amp;b=2" htmlUrl="https://one.example/"/>
    <outline type="rss" text="https://feeds.example/2" title="https://feeds.example/2" xmlUrl="https://feeds.example/2"/>
  </body>
</opml>
`;
const ONE = 'https://feeds.example/1?a=1&b=2';
const TWO = 'https://feeds.example/2';

/** A data folder with bob, who has the feeds of the OPML above on one device and another feed on a second one. */
async function setUp() {
  const data = await makeCopy('bob', async (folder) => {
    const fill = (args: readonly string[], input = '') => run([...args, '--data', folder], { input });
    await fill(['user', 'add', 'bob', '--generate']);
    await fill(['import-opml', '-', '--user', 'bob', '--device', 'phone'], OPML);
    const other = OPML.replaceAll(TWO, 'https://feeds.example/3');
    await fill(['import-opml', '-', '--user', 'bob', '--device', 'tv'], other);
  });
  const podsync = (args: readonly string[], input = '') => run([...args, '--data', data], { input, cwd: data });
  return { data, podsync, write: (...args: string[]) => podsync(['export', '--user', 'BOB', ...args]) };
}

describe('writes to standard output', () => {
  it('the list of a device as OPML by default, with its titles', async () => {
    const { write } = await setUp();
    expect(await write('--device', 'phone')).toEqual({ code: 0, stdout: OPML, stderr: '' });
    expect(await write('--device', 'phone', '--format', 'opml')).toEqual({ code: 0, stdout: OPML, stderr: '' });
  });

  it('the feeds of all devices, each once, with and without a server', async () => {
    const { data, write } = await setUp();
    const alone = [await write('--format', 'txt'), await write('--format', 'json')];
    expect(alone[0]!.stdout).toBe(`${ONE}\n${TWO}\nhttps://feeds.example/3\n`);
    expect(JSON.parse(alone[1]!.stdout)).toEqual([
      { url: ONE, title: 'One & only', website: 'https://one.example/' },
      { url: TWO },
      { url: 'https://feeds.example/3' },
    ]);
    await startServer(['--data', data]);
    expect([await write('--format', 'txt'), await write('--format', 'json')]).toEqual(alone);
  });
});

it.each(['opml', 'json', 'txt'])(
  'a file of format %s is readable for its owner only, even if it replaces one that others could read',
  async (format) => {
    const { data, write } = await setUp();
    await writeFile(join(data, 'before'), '', { mode: 0o644 });
    await writeFile(join(data, 'own'), '', { mode: 0o600 });
    for (const name of ['before', 'own', 'new']) {
      const file = join(data, name);
      expect(await write('--format', format, '-o', file)).toMatchObject({ code: 0 });
      expect([(await stat(file)).mode & 0o777, await readFile(file, 'utf8')]).toEqual([
        0o600,
        expect.stringContaining(TWO),
      ]);
    }
  },
);

it('an exported list can be imported, and exported again unchanged', async () => {
  const { write } = await setUp();
  const { stdout } = await write('--format', 'opml');
  const fresh = await makeFolder();
  await run(['user', 'add', 'bob', '--generate', '--data', fresh]);
  await run(['import-opml', '-', '--user', 'bob', '--device', 'new', '--data', fresh], { input: stdout });
  const again = await run(['export', '--user', 'bob', '--format', 'opml', '--data', fresh]);
  expect(again).toEqual({ code: 0, stdout, stderr: '' });
});

describe('-o', () => {
  it('replaces a file with the complete list, without temporary files', async () => {
    const { data, write } = await setUp();
    const folder = await makeFolder();
    const file = join(folder, 'list.opml');
    await writeFile(file, 'old content');
    expect(await write('--device', 'phone', '-o', file)).toEqual({
      code: 0,
      stdout: '',
      stderr: `[success] Wrote the subscriptions of BOB to ${file} (1 kB)\n`,
    });
    expect(await readFile(file, 'utf8')).toBe(OPML);
    expect(await readdir(folder)).toEqual(['list.opml']);
    expect(await write('--device', 'phone', '-o', 'here.opml')).toMatchObject({ code: 0 });
    expect(await readFile(join(data, 'here.opml'), 'utf8')).toBe(OPML);
  });

  it('does not change the file if there is nothing to write', async () => {
    const { write } = await setUp();
    const folder = await makeFolder();
    const file = join(folder, 'list.opml');
    await writeFile(file, 'old content');
    expect(await write('--device', 'nothere', '-o', file)).toMatchObject({ code: 1 });
    expect(await readFile(file, 'utf8')).toBe('old content');
    expect(await readdir(folder)).toEqual(['list.opml']);
  });

  it('replaces the target of a link, and keeps the link', async () => {
    const { data, write } = await setUp();
    const folder = await makeFolder();
    await symlink(join(data, 'list.opml'), join(folder, 'latest.opml'));
    await writeFile(join(data, 'list.opml'), 'old content');
    expect(await write('--device', 'phone', '-o', join(folder, 'latest.opml'))).toMatchObject({ code: 0 });
    expect(await readFile(join(data, 'list.opml'), 'utf8')).toBe(OPML);
    expect((await lstat(join(folder, 'latest.opml'))).isSymbolicLink()).toBe(true);
  });

  it('does not replace anything but files', async () => {
    const { write } = await setUp();
    const folder = await makeFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const place of [pipe, folder]) {
      const stderr = `[error] ${place} is not a file; choose another path with -o, or - for standard output\n`;
      expect(await write('-o', place)).toEqual({ code: 1, stdout: '', stderr });
    }
    expect((await lstat(pipe)).isFIFO()).toBe(true);
    expect(await readdir(folder)).toEqual(['pipe']);
  });

  it('- is standard output', async () => {
    const { data, write } = await setUp();
    expect(await write('--device', 'phone', '-o', '-')).toEqual({ code: 0, stdout: OPML, stderr: '' });
    expect(await readdir(data)).not.toContain('-');
  });

  it('names the file that cannot be written', async () => {
    const { write } = await setUp();
    const folder = await makeFolder();
    const { code, stderr } = await write('-o', join(folder, 'no', 'list.opml'));
    expect(code).toBe(1);
    expect(stderr).toMatch(ONE_SENTENCE);
    expect(stderr).toMatch(/list\.opml cannot be written \(ENOENT\); choose another path with -o, or -/);
  });
});

it.each([
  [['--user', 'eve'], 1, /there is no account/],
  [['--user', 'bob', '--device', 'nothere'], 1, /there is no device with this id/],
  [['--user', 'bob', '--format', 'pdf'], 2, /Allowed choices are opml, json, txt/],
  [[], 2, /required option '--user <user>' not specified/],
])('refuses %j with a reason', async (args, code, says) => {
  const { podsync } = await setUp();
  const result = await podsync(['export', ...args]);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
});
