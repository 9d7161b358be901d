import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeFolder, startServer } from '../test/cli/podsync.ts';

const PROGRAM = join(import.meta.dirname, '../dist/bin/podsync.js');
const BLOCK = /^```(\w*)\n(.*?)^```$/gms;

/** The program of this checkout, and each answer on a line of its own. */
const PRELUDE = ['set -euo pipefail', 'npx() { node "$PROGRAM" "${@:2}"; }', 'curl() { command curl "$@"; echo; }'];

/** Times differ from run to run. */
const toLines = (text: string): string[] =>
  text
    .replace(/"timestamp":\d+/g, '"timestamp":0')
    .split('\n')
    .filter(Boolean);

it('first-sync.md shows what its commands answer', async () => {
  const text = await readFile(join(import.meta.dirname, 'first-sync.md'), 'utf8');
  const blocks = [...text.matchAll(BLOCK)].map(([, language, content]) => ({ language, content: content! }));
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ content }) => content);
  const shown = blocks.filter(({ language }) => language !== 'sh').map(({ content }) => content);

  const { data, url } = await startServer();
  const script = [...PRELUDE, ...commands].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', script.replace('http://127.0.0.1:3000', url)], {
    cwd: await makeFolder(),
    env: { PATH: process.env.PATH, PROGRAM, PODSYNC_DATA: data },
  });

  expect(toLines(stdout)).toEqual(toLines(shown.join('')));
});
