import { execFile, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { toTable } from '../../src/cli/output.ts';
import { makeFolder } from '../folder.ts';
import { makeCopy, PROGRAM, run } from './podsync.ts';

/** More feeds than the buffers of a pipe can contain. */
const OPML = `<opml version="2.0"><body>${Array.from(
  { length: 4000 },
  (_, index) => `<outline xmlUrl="https://feeds.example/a/rather/long/path/${index}"/>`,
).join('')}</body></opml>`;

/** A data folder with the account bob, who has many feeds. */
const makeData = (): Promise<string> =>
  makeCopy('bob', async (folder) => {
    await run(['user', 'add', 'bob', '--generate', '--data', folder]);
    await run(['import-opml', '-', '--user', 'bob', '--device', 'phone', '--data', folder], { input: OPML });
  });

/** Runs the program with its output into a closed pipe or a file. */
async function runInto(stdout: number | 'closed', args: readonly string[], messages: 'read' | 'closed' = 'read') {
  const stdio: StdioOptions = ['ignore', stdout === 'closed' ? 'pipe' : stdout, 'pipe'];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio });
  const err = child.stderr!;
  child.stdout?.destroy();
  if (messages === 'closed') err.destroy();
  const [stderr, [code]] = await Promise.all([messages === 'read' ? text(err) : '', once(child, 'exit')]);
  return { stderr, code };
}

const COMMANDS = [
  ['export', '--user', 'bob', '--format', 'txt'],
  ['export', '--format', 'backup'],
  ['feeds', 'list'],
];

describe.each([...COMMANDS.map((args) => [args]), [['--help']]])('%j', (args) => {
  const withData = async () => (args.includes('--help') ? args : [...args, '--data', await makeData()]);

  it('ends silently if its output is closed', async () => {
    expect(await runInto('closed', await withData())).toEqual({ stderr: '', code: 1 });
  });

  it('reports in one sentence that its output cannot be written', async () => {
    const full = await open('/dev/full', 'w');
    const { stderr, code } = await runInto(full.fd, await withData());
    await full.close();
    expect(code).toBe(1);
    expect(stderr).toBe('[error] standard output cannot be written (ENOSPC); send it somewhere else\n');
  });
});

it('succeeds if its messages cannot be written', async () => {
  const data = await makeFolder();
  const file = await open(`${data}/password`, 'w');
  expect(await runInto(file.fd, ['user', 'add', 'bob', '--generate', '--data', data], 'closed')).toMatchObject({
    code: 0,
  });
  await file.close();
  expect((await run(['user', 'list', '--data', data])).stdout).toContain('bob');
});

it.each([
  {
    args: ['app-password', 'add', 'bob', '--label', 'phone'],
    says: /the app password could not be printed; revoke it .*: (.*user app-password list bob .*)\n/,
  },
  { args: ['reset', 'bob'], says: /the link could not be printed; print another one with: (.*user reset bob .*)\n/ },
  { args: ['invite', 'eve'], says: /the link could not be printed; print another one with: (.*user reset eve .*)\n/ },
  { args: ['invite'], says: /the link could not be printed; print another one with: (.*user reset invited-\w+ .*)\n/ },
])(
  'says how to get another one if what is shown only once could not be printed: user $args',
  async ({ args, says }) => {
    const data = await makeFolder();
    await run(['user', 'add', 'bob', '--generate', '--data', data]);
    const full = await open('/dev/full', 'w');
    const { stderr, code } = await runInto(full.fd, ['user', ...args, '--data', data]);
    await full.close();
    expect(code).toBe(1);
    const [, advice = ''] = says.exec(stderr) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', advice]);
    expect(stdout).toMatch(/phone|\/welcome\//);
  },
);

it.each(['add', 'passwd'])(
  'reports that a generated password could not be printed, and how to generate another one: user %s',
  async (command) => {
    const data = await makeFolder();
    if (command === 'passwd') await run(['user', 'add', 'bob', '--generate', '--data', data]);
    const full = await open('/dev/full', 'w');
    const { stderr, code } = await runInto(full.fd, ['user', command, 'bob', '--generate', '--data', data]);
    await full.close();
    expect(code).toBe(1);
    expect(stderr).toContain('[error] standard output cannot be written (ENOSPC); send it somewhere else\n');
    expect(stderr).not.toContain('[success]');
    const [, advice = ''] = /the new password of bob could not be printed; generate another one with: (.+)\n/.exec(
      stderr,
    )!;
    expect(advice).toMatch(/ user passwd bob --generate --data /);
  },
);

it('aligns the columns of a table also below characters that are twice as wide', () => {
  expect(
    toTable([
      ['ラジオ', 1],
      ['abc', 2],
    ]),
  ).toBe('ラジオ  1\nabc     2\n');
});
