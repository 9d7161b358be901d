import { expect, it } from 'vitest';
import { makeFolder } from '../folder.ts';
import { run, type Server, startServer } from './podsync.ts';

const ONE_SENTENCE = /^\[error\] [^\n]+\n$/;
const DONE = /^\[success\] Account \S+ created\..*podsync serve.*\n$/;

const login = async ({ url }: Server, name: string, password: string, path = name): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const answer = await fetch(`${url}/api/2/devices/${path}.json`, { headers: { authorization } });
  return answer.status;
};

/** A data folder with a server, which starts at once or when `server` is first called. */
async function setUp(isRunning: boolean) {
  const data = await makeFolder();
  let server = isRunning ? await startServer(['--data', data]) : undefined;
  return {
    add: (args: readonly string[], input?: string | Uint8Array) =>
      run(['user', 'add', ...args, '--data', data], input === undefined ? {} : { input }),
    server: async () => (server ??= await startServer(['--data', data])),
  };
}

for (const [title, isRunning] of [
  ['while the server runs', true],
  ['without a server', false],
] as const) {
  it(`${title}: reads a password from standard input, without a newline at its end`, async () => {
    const { add, server } = await setUp(isRunning);
    const passwords = { bob: ' pä:ss word ', eve: 'password two', dan: 'password three' };
    const inputs = { bob: passwords.bob, eve: `${passwords.eve}\n`, dan: `${passwords.dan}\r\n` };
    for (const [name, input] of Object.entries(inputs)) {
      expect(await add([name, '--password-stdin'], input)).toEqual({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(DONE),
      });
    }
    for (const [name, password] of Object.entries(passwords)) {
      expect(await login(await server(), name, password), name).toBe(200);
    }
    expect(await login(await server(), 'eve', `${passwords.eve}\n`)).toBe(401);
  });

  it(`${title}: accepts a short password with a warning`, async () => {
    const { add, server } = await setUp(isRunning);
    const { code, stderr } = await add(['bob', '--password-stdin'], 'seven c');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\[warn\] This password has fewer than 8 characters; [^\n]+\n\[success\] [^\n]+\n$/);
    expect(stderr).not.toContain('seven c');
    expect(await login(await server(), 'bob', 'seven c')).toBe(200);
  });

  it(`${title}: generates a password, and prints only that to stdout`, async () => {
    const { add, server } = await setUp(isRunning);
    const { code, stdout, stderr } = await add(['bob', '--generate', '--email', 'bob@example.org']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\[info\] Generated password for bob:\n\[success\] Account bob created\.[^\n]+\n$/);
    expect(stdout).toMatch(/^\S{20,}\n$/);
    expect(stderr).not.toContain(stdout.trim());
    expect(await login(await server(), 'bob', stdout.trim())).toBe(200);
    expect(await login(await server(), 'bob@example.org', stdout.trim(), 'bob')).toBe(200);
  });

  it(`${title}: refuses with code 1 and one sentence, without the password`, async () => {
    const { add } = await setUp(isRunning);
    await add(['bob', '--generate', '--email', 'bob@example.org']);
    for (const [args, says] of [
      [['BOB', '--generate'], /already exists/],
      [['eve', '--email', 'BOB@example.org', '--generate'], /already exists/],
      [['e/ve', '--generate'], /a user name is 1 to 150 letters/],
      [['eve', '--email', 'nobody', '--generate'], /e-mail/],
    ] as const) {
      const { code, stdout, stderr } = await add(args);
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
      expect(stderr).toMatch(ONE_SENTENCE);
      expect(stderr).toMatch(says);
    }
  });
}

it.each([
  ['nothing', ''],
  ['an empty line', '\n'],
  ['two lines', 'one\ntwo\n'],
  ['what is not UTF-8', new Uint8Array([0xc3, 0x28])],
  ['UTF-16', Buffer.from('a long password', 'utf16le')],
  ['more than bcrypt reads', 'x'.repeat(73)],
])('refuses %s as a password', async (_title, input) => {
  const { add, server } = await setUp(false);
  const { code, stdout, stderr } = await add(['bob', '--password-stdin'], input);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(ONE_SENTENCE);
  await (await server()).prints(/There is no account yet/);
});

it('several commands at once all succeed', async () => {
  const { add, server } = await setUp(false);
  const names = ['a', 'b', 'c'];
  const results = await Promise.all(names.map((name) => add([name, '--password-stdin'], 'secret')));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  for (const name of names) expect(await login(await server(), name, 'secret')).toBe(200);
});

it.each([
  ['while the server runs', true],
  ['without a server', false],
])('%s: does not ask without a terminal, and uses the options', async (_title, isRunning) => {
  const { add, server } = await setUp(isRunning);
  await add(['bob', '--password-stdin', '--sync-devices', '--private'], 'secret');
  await add(['eve', '--password-stdin'], 'secret');
  const { url } = await server();
  const settings = async (name: string): Promise<unknown> => {
    const headers = { authorization: `Basic ${btoa(`${name}:secret`)}` };
    return (await fetch(`${url}/api/2/settings/${name}/account.json`, { headers })).json();
  };
  expect([await settings('bob'), await settings('eve')]).toEqual([
    { sync_devices: true, public_subscriptions: false },
    {},
  ]);
});
