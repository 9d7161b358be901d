import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeCopy, run, type Server, startServer } from './podsync.ts';

const ONE_SENTENCE = /^\[error\] [^\n]+\n$/;
const AUTHORIZATION = `Basic ${Buffer.from('bob:secret').toString('base64')}`;

const opmlOf = (outlines: string): string =>
  `<?xml version="1.0"?>\n<opml version="2.0"><head><title>x</title></head><body>${outlines}</body></opml>`;

const outline = (url: string, more = ''): string => `<outline type="rss" text="x" xmlUrl="${url}" ${more}/>`;

/** A data folder with the account bob. */
async function setUp() {
  const data = await makeCopy('bob', async (folder) => {
    await run(['user', 'add', 'bob', '--password-stdin', '--data', folder], { input: 'secret' });
  });
  const file = join(data, 'list.opml');
  return {
    data,
    importText: async (text: string | Uint8Array, args: readonly string[] = []) => {
      await writeFile(file, text);
      return run(['import-opml', file, '--user', 'bob', '--device', 'phone', '--data', data, ...args]);
    },
  };
}

const read = async ({ url }: Server, path: string): Promise<unknown> =>
  (await fetch(`${url}${path}`, { headers: { authorization: AUTHORIZATION } })).json();

const feed = (n: number): string => `https://feeds.example/${n}`;

it('keeps credentials in URLs with --keep-url-credentials, like a server', async () => {
  const { data, importText } = await setUp();
  const secret = 'https://user:geheim@feeds.example/1';
  const options = ['--keep-url-credentials'];
  await importText(opmlOf(outline(secret)), options);
  expect((await importText(opmlOf(outline(secret)), [...options, '--replace'])).stdout).toMatch(/^unchanged +1$/m);
  const server = await startServer(['--data', data, ...options]);
  expect(await read(server, '/subscriptions/bob/phone.json')).toEqual([secret]);
});

it('--json never shows the passwords in addresses', async () => {
  const { importText } = await setUp();
  const secret = (n: number): string => outline(feed(n).replace('//', '//user:geheim@'));
  const options = ['--keep-url-credentials', '--json', '--replace'];
  await importText(opmlOf(secret(1) + secret(2)), options);
  const { stdout } = await importText(opmlOf(secret(2) + secret(3)), options);
  expect(JSON.parse(stdout)).toEqual({
    added: ['https://***@feeds.example/3'],
    present: ['https://***@feeds.example/2'],
    removed: ['https://***@feeds.example/1'],
    rewritten: [],
    refused: [],
  });
});

it('subscribes to feeds in folders and of any type, and reports what it did', async () => {
  const { data, importText } = await setUp();
  await importText(opmlOf(outline(feed(1))));
  const { code, stdout, stderr } = await importText(
    opmlOf(`
      ${outline(feed(1))}
      <outline text="News"><outline text="Daily">
        <outline text="Two" type="podcast" xmlUrl="${feed(2)}" htmlUrl="https://two.example/"/>
        <outline text="Three" xmlurl="feed://feeds.example/3" htmlUrl="javascript:alert(1)"/>
      </outline></outline>
      ${outline('https://user:geheim@feeds.example/4')}
      ${outline('mailto:me@example.org')}
      ${outline(feed(2))}`),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    `added      3
unchanged  1
rewritten  2
refused    1
rewritten  feed://feeds.example/3 -> http://feeds.example/3
rewritten  https://***@feeds.example/4 -> https://feeds.example/4
refused    mailto:me@example.org: a feed address must begin with http:// or https://
`,
  );
  const server = await startServer(['--data', data]);
  expect(await read(server, '/subscriptions/bob/phone.json')).toEqual([
    feed(1),
    feed(2),
    'http://feeds.example/3',
    feed(4),
  ]);
  expect(await read(server, '/api/2/devices/bob.json')).toEqual([
    { id: 'phone', caption: '', type: 'other', subscriptions: 4 },
  ]);
  expect(await read(server, `/api/2/data/podcast.json?url=${feed(2)}`)).toMatchObject({
    title: 'Two',
    website: 'https://two.example/',
  });
  expect(await read(server, '/api/2/data/podcast.json?url=http://feeds.example/3')).toMatchObject({
    title: 'Three',
    website: '',
  });
});

it('each feed with an empty address is refused with its title, if it has one', async () => {
  const { importText } = await setUp();
  const { stdout } = await importText(
    opmlOf(`${outline(feed(1))}${outline('', 'title="One"')}${outline('', 'title="Two"')}<outline xmlUrl=""/>`),
  );
  expect(stdout).toMatch(/^refused +3$/m);
  expect(stdout).toMatch(/^refused +the address of One is empty$/m);
  expect(stdout).toMatch(/^refused +the address of Two is empty$/m);
  expect(stdout).toMatch(/^refused +the address is empty$/m);
});

it('--strict exits 1 if a feed was refused, and imports the others', async () => {
  const { data, importText } = await setUp();
  const refused = await importText(opmlOf(outline(feed(1)) + outline('mailto:me@example.org')), ['--strict']);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/^refused +1$/m) });
  expect(refused.stderr).toBe('[error] 1 feed refused\n');
  expect(await importText(opmlOf(outline(feed(2))), ['--strict'])).toMatchObject({ code: 0, stderr: '' });
  const server = await startServer(['--data', data]);
  expect(await read(server, '/subscriptions/bob/phone.json')).toEqual([feed(1), feed(2)]);
});

it('imports from standard input with a running server, and prints JSON', async () => {
  const { data } = await setUp();
  const server = await startServer(['--data', data, '--max-body', '100']); // does not apply to commands
  const input = opmlOf(outline(feed(1)) + outline('https://:x/'));
  const { code, stdout } = await run(
    ['import-opml', '-', '--user', 'bob', '--device', 'tv', '--json', '--data', data],
    {
      input,
    },
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    added: [feed(1)],
    present: [],
    removed: [],
    rewritten: [],
    refused: [
      { url: 'https://:x/', reason: expect.stringMatching(/^the host or port of the address is invalid, or /) },
    ],
  });
  expect(await read(server, '/subscriptions/bob/tv.json')).toEqual([feed(1)]);
});

it('--dry-run reports what --replace would change, and changes nothing', async () => {
  const { data, importText } = await setUp();
  await importText(opmlOf(outline(feed(1)) + outline(feed(2))));
  const next = opmlOf(outline(feed(2)) + outline(feed(3)));
  const counts = 'added      1\nunchanged  1\nremoved    1\nrewritten  0\nrefused    0\n';
  const dry = '[info] Dry run: nothing was changed\n';
  expect(await importText(next, ['--replace', '--dry-run'])).toEqual({ code: 0, stdout: counts, stderr: dry });
  expect(await importText(next, ['--replace'])).toEqual({ code: 0, stdout: counts, stderr: '' });
  const server = await startServer(['--data', data]);
  expect(await read(server, '/subscriptions/bob/phone.json')).toEqual([feed(2), feed(3)]);
});

it.each([
  ['UTF-16 with a mark', Buffer.from(`\ufeff${opmlOf(outline(feed(1), 'title="Käse"'))}`, 'utf16le')],
  [
    'ISO-8859-1 as declared',
    Buffer.from(opmlOf(outline(feed(1), 'title="Käse"')).replace('"1.0"', '"1.0" encoding="ISO-8859-1"'), 'latin1'),
  ],
])('reads %s', async (_title, bytes) => {
  const { data, importText } = await setUp();
  expect((await importText(bytes)).code).toBe(0);
  const server = await startServer(['--data', data]);
  expect(await read(server, `/api/2/data/podcast.json?url=${feed(1)}`)).toMatchObject({ title: 'Käse' });
});

it.each([
  ['an empty file', '', /OPML cannot be read/],
  ['a web page', '<!doctype html><html><body><p>hello</p></body></html>', /OPML cannot be read/],
  ['an OPML that is cut off', opmlOf(outline(feed(2))).slice(0, -20), /OPML cannot be read/],
  ['no feed', opmlOf(''), /this file contains no feed/],
  ['feeds of which none can be used', opmlOf(outline('mailto:x')), /none of the feeds in this file can be used/],
])('%s exits 1 and changes nothing', async (_title, text, says) => {
  const { data, importText } = await setUp();
  await importText(opmlOf(outline(feed(1))));
  const { code, stdout, stderr } = await importText(text, ['--replace']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toMatch(says);
  const server = await startServer(['--data', data]);
  expect(await read(server, '/subscriptions/bob/phone.json')).toEqual([feed(1)]);
});

it.each([
  [['no-such-file.opml', '--user', 'bob', '--device', 'phone'], 1, /no-such-file\.opml cannot be read \(ENOENT\)/],
  [['-', '--user', 'eve', '--device', 'phone'], 1, /there is no account/],
  [['-', '--user', 'bob', '--device', 'a/b'], 1, /the device id must be/],
  [['-', '--user', 'bob'], 2, /required option '--device <id>' not specified/],
])('refuses %j with a reason', async (args, code, says) => {
  const { data } = await setUp();
  const result = await run(['import-opml', ...args, '--data', data], { input: opmlOf(outline(feed(1))), cwd: data });
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
});

it('imports 5,000 feeds with a running server', async () => {
  const { data, importText } = await setUp();
  const server = await startServer(['--data', data]);
  const outlines = Array.from({ length: 5000 }, (_, n) => outline(feed(n), `title="Podcast ${n}"`));
  expect((await importText(opmlOf(outlines.join('\n')))).stdout).toMatch(/^added +5000$/m);
  expect(await read(server, '/subscriptions/bob/phone.json')).toHaveLength(5000);
  expect(await readFile(join(data, 'list.opml'), 'utf8')).toContain(feed(4999)); // the file is not changed
});

it('a file that is too large is refused with its name, also if it has no end', async () => {
  const { data, importText } = await setUp();
  const { code, stderr } = await importText(Buffer.alloc(16 * 1024 ** 2 + 1, ' '));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `[error] ${data}/list.opml is larger than 16 MiB; split it into several OPML files\n`,
  });
  const importEndless = (...options: string[]) =>
    run(['import-opml', '/dev/zero', '--user', 'bob', '--device', 'phone', '--data', data, ...options]);
  const tooLarge = '/dev/zero is larger than 16 MiB; split it into several OPML files';
  expect(await importEndless()).toMatchObject({ code: 1, stderr: `[error] ${tooLarge}\n` });
  const replacing = `${tooLarge}, and import only the first with --replace`; // each would replace the one before
  expect(await importEndless('--replace')).toMatchObject({ code: 1, stderr: `[error] ${replacing}\n` });
});
