import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { makeFolder, PROGRAM, run } from './podsync.ts';

/** Too many feeds for the buffers of a pipe. */
const OPML = `<opml version="2.0"><body>${Array.from(
  { length: 4000 },
  (_, index) => `<outline xmlUrl="https://feeds.example/a/rather/long/path/${index}"/>`,
).join('')}</body></opml>`;

/** A data folder with the account bob, who has many feeds. */
async function makeData(): Promise<string> {
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--generate', '--data', data]);
  await run(['import-opml', '-', '--user', 'bob', '--device', 'phone', '--data', data], { input: OPML });
  return data;
}

/** `$@` in the script is the command; its exit code is in `code`. */
async function inShell(script: string, args: readonly string[]) {
  const command = script.replace('"$@"', '{ "$@"; echo "code $?" >&4; }');
  const child = spawn('sh', ['-c', `{ ${command}; } 4>&2`, 'sh', process.execPath, PROGRAM, ...args]);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const [, said, code] = /^(.*)code (\d+)\n$/s.exec(stderr)!;
  return { stdout, stderr: said, code: Number(code) };
}

const LIST = ['export', '--user', 'bob', '--format', 'txt'];
const BACKUP = ['export', '--format', 'backup'];

describe.each([[LIST], [BACKUP], [['feeds', 'list', '--json']], [['--help']]])('%j', (args) => {
  const withData = async () => (args.includes('--help') ? args : [...args, '--data', await makeData()]);

  it('says nothing when its reader stops', async () => {
    const result = await inShell('"$@" | sleep 0', await withData());
    expect(result).toEqual({ stdout: '', stderr: '', code: 1 });
  });

  it('says in a sentence that its output has no room', async () => {
    const { stderr, code } = await inShell('"$@" > /dev/full', await withData());
    expect(code).toBe(1);
    expect(stderr).toBe('[error] standard output cannot be written (ENOSPC); choose another place for it\n');
  });
});

it('goes on when nobody reads what it says', async () => {
  const data = await makeFolder();
  const result = await inShell('"$@" 2>&1 > /dev/null | sleep 0', ['user', 'add', 'bob', '--generate', '--data', data]);
  expect(result).toEqual({ stdout: '', stderr: '', code: 0 });
});
