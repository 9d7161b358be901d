import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { run } from './podsync.ts';

const print = async (shell: string): Promise<string> => {
  const { code, stdout, stderr } = await run(['completion', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

let bash: string;
beforeAll(async () => {
  bash = await print('bash');
});

/** The completions that bash offers for the last of these words. */
async function complete(...words: string[]): Promise<string[]> {
  const folder = await makeFolder();
  await writeFile(join(folder, 'podsync'), bash);
  const script =
    'source ./podsync; COMP_WORDS=(podsync "$@"); COMP_CWORD=$#; _podsync; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], { cwd: folder });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  it('registers the completion', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'podsync'), bash);
    const { stdout } = await promisify(execFile)('bash', ['-c', 'source ./podsync; complete -p podsync'], {
      cwd: folder,
    });
    expect(stdout).toBe('complete -o default -F _podsync podsync\n');
  });

  it.each([
    { words: [''], offers: ['serve', 'user', 'import-opml', 'export', 'pull', 'completion', '--version'] },
    { words: ['us'], offers: ['user'] },
    { words: ['user', ''], offers: ['add', 'list', 'show', 'passwd', 'rename', 'remove', 'sessions', '--help'] },
    { words: ['user', 're'], offers: ['rename', 'remove'] },
    { words: ['user', 'remove', 'bob', '--'], offers: ['--data', '--yes', '--help'] },
    { words: ['serve', '--tls'], offers: ['--tls-cert', '--tls-key'] },
    { words: ['serve', '--port', '80', '--ho'], offers: ['--host'] },
    { words: ['export', '--format', ''], offers: ['opml', 'json', 'txt'] },
    { words: ['export', '--format', 'o'], offers: ['opml'] },
    { words: ['export', '--user', 'user', '--dev'], offers: ['--device'] }, // `user` is a value here, not a command
    { words: ['completion', ''], offers: ['bash', 'zsh', 'fish'] },
    { words: ['feeds', 'list', '--f'], offers: ['--failed'] },
  ])('$words', async ({ words, offers }) => {
    const offered = await complete(...words);
    expect(offered).toEqual(expect.arrayContaining(offers));
    expect(offered.filter((each) => !each.startsWith(words.at(-1)!))).toEqual([]);
  });

  it.each([[['import-opml', 'pod']], [['serve', '--data', '']], [['export', '-o', 'x']], [['pull', '']]])(
    'lets bash complete file names and free values: %j',
    async (words) => expect(await complete(...words)).toEqual([]),
  );
});

it.each([
  ['zsh', /^#compdef podsync\n/],
  ['fish', /^complete -c podsync -f$/m],
])('the script for %s contains every command and option', async (shell, start) => {
  const script = await print(shell);
  expect(script).toMatch(start);
  const { stdout } = await run(['serve', '--help']);
  const options = [...stdout.matchAll(/^ +--([a-z-]+)/gm)].map((match) => match[1]!);
  expect(options.length).toBeGreaterThan(10);
  const known = [...script.matchAll(/(?:--|-l )([a-z-]+)/g)].map((match) => match[1]);
  expect(known).toEqual(expect.arrayContaining(options));
  for (const command of ['serve', 'user add', 'user remove', 'feeds update', 'pull']) {
    expect(script).toContain(` ${command}`);
  }
  expect(script).toMatch(/opml json txt/);
});

it('the script for zsh escapes what separates the parts of an option', async () => {
  expect(await print('zsh')).toContain('[who may create an account at /register\\: open is anyone');
});

it('the script for fish offers files only to commands that take them', async () => {
  const files = [...(await print('fish')).matchAll(/__podsync_at "([^"]*)"' -F$/gm)].map((match) => match[1]);
  expect(files).toEqual(expect.arrayContaining([' import-opml', ' import']));
  expect(files).not.toContain(' user list');
});

it('refuses an unknown shell, and requires one', async () => {
  const other = await run(['completion', 'tcsh']);
  expect(other).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/bash, zsh, fish/) });
  expect(await run(['completion'])).toMatchObject({ code: 2, stdout: '' });
});
