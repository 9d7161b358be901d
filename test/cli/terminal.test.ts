import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { makeCopy, run } from './podsync.ts';
import { startOnTerminal, type Terminal } from './terminal.ts';

/** A data folder with the account bob. */
const makeData = (): Promise<string> =>
  makeCopy('bob', async (folder) => {
    await run(['user', 'add', 'bob', '--generate', '--data', folder]);
  });

const users = async (data: string): Promise<string[]> =>
  JSON.parse((await run(['user', 'list', '--json', '--data', data])).stdout).map(({ name }: { name: string }) => name);

it('user remove asks: n, enter, Ctrl-C and Ctrl-D change nothing, y removes the account', async () => {
  const data = await makeData();
  for (const keys of ['n\r', '\r', 'yellow\r', '\u0003', '\u0004']) {
    const terminal = startOnTerminal(['user', 'remove', 'bob', '--data', data]);
    await terminal.shows(/Remove bob with 0 devices, 0 subscriptions and 0 episode actions\? \[y\/N\] /);
    terminal.type(keys);
    const { code, screen } = await terminal.ended;
    expect({ keys, code }).toEqual({ keys, code: 1 });
    expect(screen).toMatch(/not confirmed: nothing was changed/);
  }
  expect(await users(data)).toEqual(['bob']);

  const terminal = startOnTerminal(['user', 'remove', 'bob', '--data', data]);
  await terminal.shows(/\[y\/N\] /);
  terminal.type('y\r');
  expect((await terminal.ended).code).toBe(0);
  expect(await users(data)).toEqual([]);
});

it('user remove --yes does not ask, even on a terminal', async () => {
  const data = await makeData();
  const { code, screen } = await startOnTerminal(['user', 'remove', 'bob', '--yes', '--data', data]).ended;
  expect(code).toBe(0);
  expect(screen).not.toContain('[y/N]');
});

const ONE_LIST = /Keep one subscription list on all devices\? \[Y\/n\] /;
const PUBLIC = /Show subscriptions publicly\? \[y\/N\] /;

/** Starts `user add bob` on a terminal, until the first question. */
async function startUserAdd(data: string, ...options: readonly string[]): Promise<Terminal> {
  const terminal = startOnTerminal(['user', 'add', 'bob', '--data', data, ...options]);
  await terminal.shows(/Password: /);
  terminal.type('hunter2\r');
  await terminal.shows(/Repeat password: /);
  terminal.type('hunter2\r');
  return terminal;
}

/** The account settings of bob, from a backup. */
async function settings(data: string): Promise<unknown> {
  const { stdout } = await run(['export', '--format', 'backup', '--data', data]);
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return Object.fromEntries(records.find(({ kind }) => kind === 'settings')?.values ?? []);
}

it('user add asks for the password twice, and does not show it', async () => {
  const data = await makeFolder();
  const terminal = await startUserAdd(data);
  await terminal.shows(ONE_LIST);
  terminal.type('\r');
  await terminal.shows(PUBLIC);
  terminal.type('\r');
  const { code, screen } = await terminal.ended;
  expect(code).toBe(0);
  expect(screen).not.toContain('hunter2');
  expect(await users(data)).toEqual(['bob']);
});

it.each([
  { keys: ['\r', '\r'], expected: { sync_devices: true, public_subscriptions: false } },
  { keys: ['n\r', ' YES \r'], expected: {} },
])('user add asks how to sync and what to show: $keys', async ({ keys: [one, two], expected }) => {
  const data = await makeFolder();
  const terminal = await startUserAdd(data);
  await terminal.shows(ONE_LIST);
  terminal.type('perhaps\r');
  await terminal.shows(new RegExp(`${ONE_LIST.source}[^]*${ONE_LIST.source}`));
  terminal.type(one!);
  await terminal.shows(PUBLIC);
  terminal.type(two!);
  expect((await terminal.ended).code).toBe(0);
  expect(await settings(data)).toEqual(expected);
});

it('user add creates nothing if a question is cancelled', async () => {
  const data = await makeFolder();
  const terminal = await startUserAdd(data, '--sync-devices');
  await terminal.shows(PUBLIC);
  terminal.type('\u0003');
  const { code, screen } = await terminal.ended;
  expect(code).toBe(1);
  expect(screen).toContain('cancelled: nothing was changed');
  expect(await users(data)).toEqual([]);
});

it('user add does not ask about settings that are given as options', async () => {
  const data = await makeFolder();
  const terminal = await startUserAdd(data, '--sync-devices=false', '--private');
  const { code, screen } = await terminal.ended;
  expect(code).toBe(0);
  expect(screen).not.toContain('[y/N]');
  expect(await settings(data)).toEqual({ public_subscriptions: false });
});

it('user add asks before it creates a data folder', async () => {
  const data = join(await makeFolder(), 'typo');
  for (const [keys, exists] of [
    ['n\r', false],
    ['y\r', true],
  ] as const) {
    const terminal = startOnTerminal(['user', 'add', 'bob', '--generate', '--data', data]);
    await terminal.shows(/The data folder \S+typo does not exist\. Create it\?[^\n]*--data[^\n]* \[y\/N\] /);
    terminal.type(keys);
    expect((await terminal.ended).code).toBe(exists ? 0 : 1);
    expect(existsSync(data)).toBe(exists);
  }
  expect(await users(data)).toEqual(['bob']);
});

it.each([
  ['name', ['BOB']],
  ['e-mail address', ['bobby', '--email', 'bob@example.org']],
])('user add does not ask for a password if the %s is taken', async (what, args) => {
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--email', 'bob@example.org', '--generate', '--data', data]);
  const { code, screen } = await startOnTerminal(['user', 'add', ...args, '--data', data]).ended;
  expect(code).toBe(1);
  expect(screen).toContain(`an account with the ${what} ${args.at(-1)} already exists`);
  expect(screen).not.toContain('Password');
});

it.each([
  ['name', ['b b'], 'a user name is 1 to 150 letters'],
  ['e-mail address', ['bob', '--email', 'bob'], 'this is not an e-mail address'],
])(
  'user add does not ask for a password, nor create a data folder, if the %s is not valid',
  async (_, args, message) => {
    const data = join(await makeFolder(), 'new');
    const { code, screen } = await startOnTerminal(['user', 'add', ...args, '--data', data]).ended;
    expect(code).toBe(1);
    expect(screen).toContain(message);
    expect(screen).not.toContain('Password');
    expect(existsSync(data)).toBe(false);
  },
);

it('user passwd does not ask for a password of an unknown account', async () => {
  const data = await makeData();
  const { code, screen } = await startOnTerminal(['user', 'passwd', 'bbo', '--data', data]).ended;
  expect(code).toBe(1);
  expect(screen).toMatch(/there is no account with this name/);
  expect(screen).not.toContain('Password');
});

it('user passwd asks for the new password twice, and does not show it', async () => {
  const data = await makeData();
  const terminal = startOnTerminal(['user', 'passwd', 'bob', '--data', data]);
  await terminal.shows(/Password: /);
  terminal.type('hunter2\r');
  await terminal.shows(/Repeat password: /);
  terminal.type('hunter2\r');
  const { code, screen } = await terminal.ended;
  expect(code).toBe(0);
  expect(screen).toMatch(/Password changed/);
  expect(screen).not.toContain('hunter2');
});

it.each([
  { args: ['user', 'remove', 'bob'], asks: /\[y\/N\] / },
  { args: ['user', 'passwd', 'bob'], asks: /Password: / },
  { args: ['pull', 'http://127.0.0.1:1', '--user', 'bob'], asks: /Password on 127\.0\.0\.1:1: / },
])('asks on the terminal, even if the output is redirected to a file: $args', async ({ args, asks }) => {
  const data = await makeData();
  const output = join(data, 'output');
  const terminal = startOnTerminal([...args, '--data', data], { output });
  await terminal.shows(asks);
  terminal.type('\u0003');
  expect((await terminal.ended).code).toBe(1);
  expect(await readFile(output, 'utf8')).toBe('');
});

it('does not print a backup on a terminal', async () => {
  const data = await makeData();
  const { code, screen } = await startOnTerminal(['export', '--format', 'backup', '--data', data]).ended;
  expect(code).toBe(2);
  expect(screen).toContain('a backup cannot be printed on a terminal; name a file with -o');
  expect(screen).not.toContain('"kind"');
});

it.each([
  [['check'], 'checking', 3],
  [['migrate', '--from', 'json', '--to', 'sqlite:podsync.db'], 'copying, then comparing', 4],
])('the progress bar of %j does not call the directory an account', async (args, work, total) => {
  const data = await makeData();
  const { screen } = await startOnTerminal([...args, '--data', data]).ended;
  expect(screen).toMatch(new RegExp(`${work} [░█]+ 0 of ${total} `));
});

it('prints tables in colour on a terminal, and without colour into a file', async () => {
  const data = await makeData();
  const output = join(data, 'output');
  const { screen } = await startOnTerminal(['user', 'list', '--data', data]).ended;
  expect(screen).toContain('\u001b[1mNAME\u001b[22m  \u001b[1mE-MAIL');
  expect(screen).toMatch(/^bob +- +0 +0 +- +\d{4}-\d\d-\d\d\r$/m);
  await startOnTerminal(['user', 'list', '--data', data], { output }).ended;
  expect(await readFile(output, 'utf8')).toMatch(/^NAME  E-MAIL .*\nbob /);
});

it('prints the time with messages of a server, but not of other commands', async () => {
  const data = await makeData();
  const time = /\d:\d\d:\d\d/;
  const list = await startOnTerminal(['feeds', 'list', '--data', data]).ended;
  expect(list.screen).toContain('No feeds yet');
  expect(list.screen).not.toMatch(time);
  const server = startOnTerminal(['serve', '--port', '0', '--no-fetch', '--data', data]);
  await server.shows(/Ready\./);
  server.type('\u0003');
  expect((await server.ended).screen).toMatch(time);
});
