import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../folder.ts';
import { findPort } from '../free-port.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** The program as npm installs it. */
const PROGRAM = join(ROOT, 'dist/bin/podsync.js');

/** All pages of the documentation, as paths from the root. */
export const PAGES: readonly string[] = ['.', 'docs', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** A fenced block of a page. */
export interface Block {
  /** What follows the opening fence: `sh`, `sh no-test`, `json` ... */
  info: string;
  content: string;
}

/** A block of commands that was run. */
export interface Step {
  commands: string;
  /** The next block, which shows the output. */
  shown: string | undefined;
  stdout: string;
}

export const readPage = (page: string): Promise<string> => readFile(join(ROOT, page), 'utf8');

/** Includes indented blocks in lists. */
export const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/^( *)```(.*)\n([^]*?)^\1```$/gm)].map(([, indent, info, content]) => ({
    info: info!,
    content: content!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

/**
 * Replaces the environment of a reader: a shell with a running server. `serve` runs in the background until the next
 * one, prompts are answered, and nothing is installed.
 */
const SHELL = `
set -euo pipefail

podsync() {
  case "$2 \${3-}" in
    'serve '*) serve "$@" ;;
    'migrate '*) stop; command node "$@" ;;
    'user add' | 'user passwd')
      case "$*" in
        *--password-stdin* | *--generate*) command node "$@" ;;
        *) command node "$@" --password-stdin <<<wonderland ;;
      esac ;;
    *) command node "$@" ;;
  esac
}
npx() { [[ $1 == podsync ]] && podsync "$PROGRAM" "\${@:2}"; }
node() {
  case "$1" in
    *podsync.mjs) podsync "$@" ;;
    *lossless.mjs) command node "$@" 0 ;; # without its pauses
    *) command node "$@" ;;
  esac
}
npm() {
  case "$*" in
    install | 'install '*@*) ;;
    start) serve "$PROGRAM" serve ;;
    *) echo "npm $* is not known here" >&2; return 1 ;;
  esac
}
curl() { command curl --silent --show-error --fail-with-body "$@" || [[ $? == 22 ]]; echo; }

running=
stop() {
  if [[ -n $running ]]; then kill "$running"; wait "$running" || true; fi
  running=
}
serve() {
  stop
  exec {output}< <(exec node "$@" 2>&1)
  running=$!
  local line
  while read -r line <&"$output"; do
    if [[ $line == *' Ready.'* ]]; then return; fi
    echo "$line" >&2
  done
  return 1
}
trap stop EXIT
`;

const SEPARATOR = '\u001e';

/**
 * Runs the `sh` blocks of a page in order, in a copy of the folder of the page. Rejects if a command fails. The account
 * alice exists, unless the page creates it.
 */
export async function runPage(page: string): Promise<Step[]> {
  const text = await readPage(page);
  const blocks = blocksOf(text);
  const steps = blocks.flatMap(({ info, content }, index) => {
    const next = blocks[index + 1];
    const shown = next?.info === '' || next?.info === 'json' ? next.content : undefined;
    return info === 'sh' ? [{ commands: content, shown }] : [];
  });
  if (steps.length === 0) return [];

  const port = await findPort();
  const account = text.includes('user add alice') ? '' : 'npx podsync user add alice';
  const script = [SHELL, 'npm start', account, ...steps.map(({ commands }) => commands)].join(
    `\nprintf '${SEPARATOR}'\n`,
  );
  const folder = await makeFolder();
  const cwd = await copyCheckout(folder, page);
  const { PATH, TMPDIR } = process.env;
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', script.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)],
    {
      cwd,
      env: {
        PATH,
        ...(TMPDIR && { TMPDIR }),
        ROOT,
        PROGRAM,
        PODSYNC_DATA: join(folder, 'data'),
        PODSYNC_PORT: String(port),
        PODSYNC_NO_FETCH: 'true',
      },
    },
  );
  const printed = stdout.split(SEPARATOR).slice(3);
  return steps.map((step, index) => ({ ...step, stdout: printed[index]! }));
}

/** The folder in which a reader runs the commands: that of a README in an example, otherwise the root. */
async function copyCheckout(folder: string, page: string): Promise<string> {
  const checkout = join(folder, 'checkout');
  await mkdir(checkout);
  for (const name of ['dist', 'examples']) await symlink(join(ROOT, name), join(checkout, name));
  for (const name of ['cert.pem', 'key.pem']) await cp(join(ROOT, 'test/cli/tls', name), join(checkout, name));
  await cp(join(import.meta.dirname, 'podcasts.opml'), join(checkout, 'podcasts.opml'));
  return page.endsWith('/README.md') ? join(checkout, dirname(page)) : checkout;
}
