import { expect, it, vi } from 'vitest';
import { Refusal } from '../../src/domain/errors.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { decode, signIn } from './browser.ts';
import { FEED, openFilled, press } from './playback-samples.ts';

const PATH = '/subscriptions/import';
const OPML = `<?xml version="1.0"?><opml version="2.0"><head><title>"My" list</title></head><body>
<outline text="News &amp; more" xmlUrl="https://feeds.example/news"/>
<outline text="Old" xmlUrl="https://feeds.example/old"/>
<outline text="Odd" xmlUrl="gopher://feeds.example/odd"/>
</body></opml>`;

const subscriptions = async ({ request }: TestServer): Promise<unknown> =>
  (await request('GET', '/subscriptions/bob.json', { auth: 'bob:secret' })).json();

async function open(): Promise<TestServer> {
  const server = await openTestServer();
  await server.services.subscriptions.upload((await server.services.accounts.findByName('bob'))!.id, 'phone', {
    add: ['https://feeds.example/old'],
    remove: [],
  });
  return server;
}

it('shows what a file would change, changes nothing yet, and then subscribes', async () => {
  const server = await open();
  const visitor = await signIn(server);
  const preview = await visitor.send(PATH, { opml: OPML }, `http://localhost${PATH}`);
  expect(preview.status).toBe(200);
  expect(preview.html).toContain('1 new podcast, 1 already in your subscriptions, 1 refused.');
  expect(preview.html).toContain('News &amp; more');
  expect(preview.html).toContain('A feed address must begin with http:// or https://.');
  expect(await subscriptions(server)).toEqual(['https://feeds.example/old']);

  const [, csrf] = /name="csrf" value="([^"]*)"><input type="hidden" name="device"/.exec(preview.html)!;
  const done = await visitor.send(PATH, { csrf: csrf!, confirmed: OPML }, `http://localhost${PATH}`);
  expect(done.location).toBe('http://localhost/subscriptions?imported=1');
  const { html } = await visitor.get(done.location!);
  expect(html).toContain('Subscribed to 1 podcast.');
  expect(html).toContain('News &amp; more'); // the title in the file, until the feed is fetched
  expect(await subscriptions(server)).toEqual(['https://feeds.example/old', 'https://feeds.example/news']);
});

it('a podcast of all apps is not new after an episode was played in the browser', async () => {
  const server = await openFilled();
  const visitor = await signIn(server);
  await press(visitor, 'played');
  const opml = `<opml><body><outline text="Talk" xmlUrl="${FEED}"/></body></opml>`;
  const { html } = await visitor.send(PATH, { opml }, `http://localhost${PATH}`);
  expect(html).toContain('0 new podcasts, 1 already in your subscriptions, 0 refused.');
});

it.each<[string, string, (declaration: string) => Buffer]>([
  ['UTF-16', 'Été', (text) => Buffer.from(`\ufeff<?xml version="1.0"?>${text}`, 'utf16le')],
  [
    'a declared encoding',
    'Été',
    (text) => Buffer.from(`<?xml version="1.0" encoding="windows-1252"?>${text}`, 'latin1'),
  ],
  [
    'another encoding than it declares',
    'Übung été',
    (text) => Buffer.from(text.replace('Été', 'Übung \xe9t\xe9'), 'latin1'),
  ],
  ['a replacement character', '?t?', (text) => Buffer.from(text.replace('Été', '\ufffdt\ufffd'))],
])('reads a file with %s', async (_what, title, encode) => {
  const visitor = await signIn(await open());
  const opml = new Blob([encode('<opml><body><outline text="Été" xmlUrl="https://feeds.example/new"/></body></opml>')]);
  const preview = await visitor.send(PATH, { opml }, `http://localhost${PATH}`);
  expect(preview.status).toBe(200);
  expect(preview.html).toContain(`<div>${title}<div class="soft">https://feeds.example/new</div></div>`);
});

it('shows under which other address a feed will be stored, as a private one without its password', async () => {
  const visitor = await signIn(await open());
  const opml = '<opml><body><outline text="Private" xmlUrl="https://me:secret@feeds.example/private"/></body></opml>';
  const { html } = await visitor.send(PATH, { opml }, `http://localhost${PATH}`);
  expect(html).toContain('<h2>Stored under another address</h2>');
  expect(html).toContain(
    '<div>https://feeds.example/private<div class="soft">In the file: https://***@feeds.example/private</div></div>',
  );
});

it.each<[Record<string, string>, string]>([
  [{ opml: '' }, 'Choose a file that is not empty.'],
  [{ opml: '<opml><body>' }, 'The OPML cannot be read'],
  [{ opml: '<opml><body></body></opml>' }, 'This file contains no podcasts; choose another one.'],
  [{ opml: OPML, device: 'unknown' }, 'id="device-error">You have no device with this name.'],
  [{ opml: OPML, csrf: 'old' }, 'This form was too old'],
  [{ confirmed: OPML, csrf: 'old' }, 'This form was too old'],
])('changes nothing for %j, and says why', async (fields, problem) => {
  const server = await open();
  const visitor = await signIn(server);
  const again = await visitor.send(PATH, fields, `http://localhost${PATH}`);
  expect(again.status).toBe(400);
  expect(again.html).toContain(problem);
  expect(await subscriptions(server)).toEqual(['https://feeds.example/old']);
});

it('subscribes on the device that was chosen, which also a form that is shown again keeps', async () => {
  const server = await open();
  await server.request('PUT', '/subscriptions/bob/tv.json', { auth: 'bob:secret', body: [] });
  const visitor = await signIn(server);
  const send = (fields: Record<string, string>) => visitor.send(PATH, fields, `http://localhost${PATH}`);
  const empty = await send({ opml: '', device: 'tv' });
  expect(empty.html).toContain('value="tv" selected');
  expect((await send({ opml: '<opml><body>', device: 'tv' })).html).toContain('value="tv" selected');
  let { html } = await send({ opml: OPML, device: 'tv' });
  const hidden = (name: string): string => decode(new RegExp(`name="${name}" value="([^"]*)"`).exec(html)![1]!);
  const confirm = (csrf: string) => send({ csrf, device: hidden('device'), confirmed: hidden('confirmed') });
  const stale = await confirm('old');
  html = stale.html;
  expect(html).toContain('role="alert">This form was too old');
  expect((await confirm(hidden('csrf'))).status).toBe(303);
  const listOf = async (device: string): Promise<unknown> =>
    (await server.request('GET', `/subscriptions/bob/${device}.json`, { auth: 'bob:secret' })).json();
  expect(await listOf('tv')).toContain('https://feeds.example/news');
  expect(await listOf('phone')).toEqual(['https://feeds.example/old']);
});

it('offers nothing to confirm if nothing is new, and names at most 500 podcasts', async () => {
  const visitor = await signIn(await open());
  const preview = async (urls: readonly string[]): Promise<string> => {
    const opml = `<opml><body>${urls.map((url) => `<outline xmlUrl="https://feeds.example/${url}"/>`).join('')}</body></opml>`;
    return (await visitor.send(PATH, { opml }, `http://localhost${PATH}`)).html;
  };
  const known = await preview(['old']);
  expect(known).not.toContain('Subscribe to');
  expect(known).toMatch(/<h2>Already in your subscriptions<\/h2>[^]*<div>https:\/\/feeds\.example\/old</);
  const many = await preview(Array.from({ length: 502 }, (_, at) => String(at)));
  expect(many).toContain('Subscribe to 502 podcasts</button>');
  expect(many.match(/<li>/g)).toHaveLength(500);
  expect(many).toContain('And 2 more.');
  expect(await preview(Array.from({ length: 500 }, (_, at) => String(at)))).not.toContain('more.');
});

it('says when to send the file again if the server is busy', async () => {
  const server = await open();
  const visitor = await signIn(server);
  const busy = new Refusal('busy', 'too many uploads at once', 5);
  vi.spyOn(server.services.bodyParser, 'podcasts').mockRejectedValueOnce(busy);
  const { status, headers, html } = await visitor.send(PATH, { opml: OPML }, `http://localhost${PATH}`);
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(html).toContain('Too many uploads at once.');
});

it('refuses a file that is too large before it is parsed', async () => {
  const visitor = await signIn(await open());
  const refused = await visitor.send(
    PATH,
    { opml: new Blob(['x'.repeat(1024 * 1024 + 1)]) },
    `http://localhost${PATH}`,
  );
  expect(refused.status).toBe(413);
  expect(refused.html).toContain('The file is larger than 1 MB; split it, and import the parts one by one.');
});

it.each([
  ['every letter takes two bytes in UTF-8', `<?xml version="1.0" encoding="windows-1251"?>`, 'é'.repeat(100)],
  ['every line end takes two bytes in a form', '', '\n'.repeat(100)],
])('imports the largest file, even if %s', async (_, declaration, text) => {
  const visitor = await signIn(await open());
  const outlines = Array.from(
    { length: 6000 },
    (_each, n) => `<outline text="${text}" xmlUrl="https://a.example/${n}"/>`,
  );
  const xml = `${declaration}<opml><body>${outlines.join('')}</body></opml>`.padEnd(1024 * 1024);
  const opml = new Blob([Buffer.from(xml, 'latin1')]);
  expect(opml.size).toBe(1024 * 1024);
  const { html } = await visitor.send(PATH, { opml }, `http://localhost${PATH}`);
  const [, confirmed] = /name="confirmed" value="([^"]*)"/.exec(html)!;
  const done = await visitor.send(PATH, { confirmed: decode(confirmed!) }, `http://localhost${PATH}`);
  expect(done.location).toBe('http://localhost/subscriptions?imported=6000');
});

it('counts and names all podcasts without an address', async () => {
  const visitor = await signIn(await open());
  const opml = '<opml><body><outline text="Lost" xmlUrl=""/><outline text="Gone" xmlUrl=""/></body></opml>';
  const { html } = await visitor.send(PATH, { opml }, `http://localhost${PATH}`);
  expect(html).toContain('2 refused.');
  expect(html).toContain('The address of Lost is empty.');
  expect(html).toContain('The address of Gone is empty.');
});
