import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { COMMANDS } from './commands.ts';
import { PROGRAM, run } from './podsync.ts';

const ONE_SENTENCE = /^\[error\] [^\n]+\n$/;

it('prints the version of the package to stdout', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  for (const option of ['--version', '-V']) {
    expect(await run([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  }
});

const runOnNode = (version: string) => {
  const older = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(older)}` };
  return run(['completion', 'bash'], { env });
};

it.each([
  ['18.20.4', '20.19'],
  ['20.18.3', '20.19'],
  ['21.7.3', '22.12'],
  ['22.9.0', '22.12'],
])('Node %s is refused with the version that is needed', async (version, needed) => {
  const stderr = `podsync needs Node ${needed} or newer, and this is Node ${version}; install a newer one: https://nodejs.org\n`;
  expect(await runOnNode(version)).toEqual({ code: 1, stdout: '', stderr });
});

it.each(['20.19.0', '20.20.2', '22.12.0', '23.0.0', '100.0.0'])('Node %s is accepted', async (version) => {
  expect(await runOnNode(version)).toMatchObject({ code: 0, stderr: '' });
});

it('an older Node can load the program, although it lacks functions that are imported from it', async () => {
  const program = await readFile(PROGRAM, 'utf8');
  expect([...program.matchAll(/\bimport\s*\{[^}]*\}\s*from\s*["'](?:node:[^"']+)["']/g)].map(([text]) => text)).toEqual(
    [],
  );
});

it.each([
  [['--help']],
  [['-h']],
  [['user', 'add', '-h']],
  [['serve', '--help']],
  [['user', '--help']],
  [['user', 'add', '--help']],
  [['help', 'serve']],
])('prints the help of %j to stdout', async (args) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: podsync/);
});

it.each([[['help', 'user', 'add']], [['user', 'help', 'add']]])(
  'prints the help of the given command: %j',
  async (args) => {
    expect((await run(args)).stdout).toMatch(/^Usage: podsync user add /);
  },
);

it.each(COMMANDS)('help has the variable of each option, and an example: %s', async (command) => {
  const { stdout } = await run([...command.split(' '), '--help']);
  if (stdout.includes('--data')) expect(stdout).toMatch(/env:\s+PODSYNC_DATA/);
  expect(stdout).toMatch(new RegExp(`^Examples?:\n  podsync ${command}`, 'm'));
});

it('help shows that feeds are fetched by default', async () => {
  const { stdout } = await run(['serve', '--help']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'fetch no feeds and no logos (default: false, env: PODSYNC_NO_FETCH)',
  );
});

it.each([[[]], [['user']]])('without a command, prints the help to stderr and exits 2: %j', async (args) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Usage: podsync (?:user )?<command> \[options\]$/m);
  expect(stderr).not.toContain('[error]');
});

it.each([
  { args: ['sreve'], says: /^\[error\] unknown command 'sreve'; use one of serve, user, .*\bhelp\n$/ },
  { args: ['user', 'delete', 'bob'], says: /^\[error\] unknown command 'delete'; use one of add, .*\bremove, .*\n$/ },
  { args: ['help', 'sreve'], says: /^\[error\] unknown command 'sreve'; use one of serve, user, .*\n$/ },
  { args: ['user', 'help', 'sreve'], says: /^\[error\] unknown command 'sreve'; use one of add, invite, .*\n$/ },
  { args: ['help', 'serve', 'now'], says: /^\[error\] unknown command 'now'\n$/ },
  { args: ['serve', '--prot', '80'], says: /unknown option '--prot'/ },
  { args: ['serve', 'now'], says: /too many arguments/ },
  { args: ['serve', '--port'], says: /--port <number>.* argument missing/ },
  { args: ['serve', '--port', 'http'], says: /--port \(PODSYNC_PORT\) must be a whole number/ },
  { args: ['serve', '--tls-cert', 'cert.pem'], says: /belong together/ },
  { args: ['user', 'add'], says: /missing required argument 'name'/ },
  {
    args: ['user', 'add', '--private', 'bob'],
    says: /must be true or false; before an argument, write --private=true$/m,
  },
  { args: ['user', 'add', 'bob', '--password', 'secret'], says: /unknown option '--password'/ },
  { args: ['user', 'add', 'bob', '--generate', '--password-stdin'], says: /cannot be used with/ },
  { args: ['export', '--user', 'bob', '-o', ''], says: /^\[error\] --output must be the name of a file\n$/ },
  { args: ['import', ''], says: /^\[error\] <file> must be the name of a file\n$/ },
  {
    args: ['import-opml', '', '--user', 'bob', '--device', 'phone'],
    says: /^\[error\] <file> must be the name of a file\n$/,
  },
  { args: ['user', 'rename', 'bob'], says: /missing required argument 'name'/ },
  { args: ['user', 'passwd', 'bob'], says: /no terminal to ask for a password/ },
  { args: ['user', 'add', 'bob'], says: /no terminal to ask for a password; use --password-stdin or --generate/ },
])('wrong usage exits 2 with a message: %j', async ({ args, says }) => {
  const { code, stdout, stderr } = await run(args, { cwd: await makeFolder() });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(says);
  expect(stderr).not.toContain('    at ');
});

it('an invalid variable is wrong usage, and an empty one is ignored', async () => {
  const wrong = await run(['serve'], { env: { PODSYNC_TRUST_PROXY: 'perhaps' } });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(ONE_SENTENCE) });
  const data = await makeFolder();
  const empty = await run(['user', 'add', 'bob', '--generate', '--data', data], { env: { PODSYNC_STORAGE: '' } });
  expect(empty.code).toBe(0);
});

it('a storage plugin that rejects without an error is still reported', async () => {
  const data = await makeFolder();
  const plugin = `{ name: 'mute', contract: 1, parse: () => undefined, open: () => Promise.reject() }`;
  await writeFile(`${data}/mute.js`, `export default ${plugin};`);
  const { code, stdout, stderr } = await run(['user', 'list', '--data', data, '--storage', `${data}/mute.js`]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(ONE_SENTENCE);
});

it('a storage plugin in a language that Node does not run is refused with those that it runs', async () => {
  const data = await makeFolder();
  const plugin = `${data}/plugin.tsx`; // as an older Node refuses plugin.ts
  await writeFile(plugin, 'export default {};');
  const { code, stderr } = await run(['user', 'list', '--data', data, '--storage', plugin]);
  expect(code).toBe(1);
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toContain(`storage plugin: ${plugin} cannot be loaded: Unknown file extension ".tsx"`);
  expect(stderr).toContain('; compile it to JavaScript, or, if it is a .ts file, use Node 22.18 or newer');
});
