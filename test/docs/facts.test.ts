import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { PAGES, readPage, ROOT } from './page.ts';

const withoutCode = (text: string): string => text.replaceAll(/^( *)```.*\n[^]*?^\1```$/gm, '');

/** The anchor of a heading on GitHub. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-');

const anchorsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => toAnchor(heading!));

it.each(PAGES)('the links of %s lead to files and headings', async (page) => {
  const links = [...withoutCode(await readPage(page)).matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
  const inside = links.filter((link) => !/^https?:/.test(link) && !link.startsWith('docs/pictures/'));
  const broken = inside.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it('the pictures of the README are written by `npm run screenshots`', async () => {
  const pictures = [...(await readPage('README.md')).matchAll(/docs\/pictures\/(\w+)-light\.png/g)].map(
    ([, name]) => name,
  );
  expect(pictures).toEqual(['home', 'subscriptions', 'statistics']);
  const sample = readFileSync(join(ROOT, 'test/browser/sample.ts'), 'utf8');
  for (const name of pictures) expect(sample).toMatch(new RegExp(`\\b${name}: '`));
});

it.each(PAGES)('%s names only scripts that exist', async (page) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = [...(await readPage(page)).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it.each(['CONTRIBUTING.md', 'docs/writing-a-plugin.md'])('%s names only files that exist', async (page) => {
  const named = [...(await readPage(page)).matchAll(/`((?:src|plugins|test|bin)\/[\w./-]+)`/g)].map(
    ([, path]) => path!,
  );
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('systemd starts podsync again as often as it takes until the database can be reached', () => {
  const unit = readFileSync(join(ROOT, 'examples/podsync.service'), 'utf8');
  const [, pause = '0.1'] = /^RestartSec=(\d+)$/m.exec(unit) ?? [];
  // By default, systemd gives up at the sixth start within 10 seconds (StartLimitBurst and StartLimitIntervalSec).
  expect(5 * Number(pause)).toBeGreaterThan(10);
});

/** All commands except groups, with their full names. */
const commandsOf = (command: Command, name: string): [string, Command][] =>
  command.commands.length === 0
    ? [[name, command]]
    : command.commands
        .filter((each) => each.name() !== 'help')
        .flatMap((each) => commandsOf(each, `${name} ${each.name()}`));

const COMMANDS = commandsOf(createProgram(), 'podsync');
const page = await readPage('docs/command-line.md');

it.each(COMMANDS)('command-line.md describes `%s` with its options', (name, { options }) => {
  const row = page
    .split('\n')
    .filter((line) => line.startsWith(`| \`${name}`))
    .join('\n');
  expect(row).not.toBe('');
  const common = new Set([
    '--data',
    '--config',
    '--storage',
    '--json',
    '--keep-url-credentials',
    '--no-fetch',
    '--allow-private-feeds',
  ]);
  const isServer = ['podsync serve', 'podsync config'].includes(name); // their options have a table
  const where = isServer ? page : row;
  const own = options.filter(({ long }) => isServer || !common.has(long!));
  expect(own.map(({ long }) => long!).filter((long) => !new RegExp(`${long}\\b`).test(where))).toEqual([]);
});

const SERVE = COMMANDS.find(([name]) => name === 'podsync serve')![1].options;

it.each(SERVE.map((option) => [option.long!, option] as const))(
  'command-line.md has the variable and the default of %s',
  (long, { envVar, defaultValue, defaultValueDescription }) => {
    const rows = page.split('\n').map((line) => line.split(' | '));
    const [, variables, , otherwise] = rows.find(([options]) => new RegExp(`^\\|.* \`${long}[ \`]`).test(options!))!;
    expect(variables).toContain(`\`${envVar}\``);
    if (defaultValue === undefined || typeof defaultValue === 'boolean') return; // in words
    const names = [defaultValue, defaultValueDescription ?? defaultValue].map((name) => `\`${name}\``);
    expect(names.some((name) => otherwise!.includes(name))).toBe(true);
  },
);

it('command-line.md names no option or variable that does not exist', () => {
  const options = COMMANDS.flatMap(([, command]) => command.options);
  const known = (find: (option: (typeof options)[number]) => string | undefined): Set<string | undefined> =>
    new Set(options.map(find));
  const named = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map(([text]) => text);
  const longs = new Set([...known(({ long }) => long), '--help']);
  expect(named(/--[a-z][a-z-]+/g).filter((each) => !longs.has(each))).toEqual([]);
  const variables = known(({ envVar }) => envVar);
  expect(named(/PODSYNC_[A-Z_]+/g).filter((each) => !variables.has(each))).toEqual([]);
});

it('http-interface.md has every path of the interface', async () => {
  const table = readFileSync(join(ROOT, 'src/routes/index.ts'), 'utf8');
  const paths = [...table.matchAll(/\['[A-Z]+', '(\/[^']+)'/g)].map(([, path]) => path!.replaceAll(/:(\w+)/g, '{$1}'));
  expect(paths.length).toBeGreaterThan(40);
  const text = await readPage('docs/http-interface.md');
  expect(paths.filter((path) => !text.includes(path))).toEqual([]);
});
