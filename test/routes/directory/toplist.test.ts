import { describe, expect, it } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { auth, A, B, LOGO, hash, PODCAST_A, PODCAST_B, openFilled, read } from './samples.ts';

describe('the toplist', () => {
  it('is available in the formats of the interface', async () => {
    const server = await openFilled();
    const entries = [
      { ...PODCAST_A, position_last_week: 0 },
      { ...PODCAST_B, position_last_week: 0 },
    ];
    expect(await read(server, '/toplist/10.json')).toEqual(entries);
    expect(await read(server, '/toplist/1.json')).toEqual(entries.slice(0, 1));
    expect(await read(server, '/toplist/10.txt')).toBe(`${A}\n${B}\n`);
    expect(await read(server, '/toplist/10.jsonp?jsonp=take')).toBe(
      `take(${JSON.stringify(entries).replaceAll('</', '<\\/')});`,
    );
    const opml = await read(server, '/toplist/10.opml');
    expect(opml).toContain(`text="Alpha &amp; Omega" title="Alpha &amp; Omega" xmlUrl="${A}"`);
    expect(opml.indexOf(A)).toBeLessThan(opml.indexOf(B));
    const xml = await read(server, '/toplist/1.xml?scale_logo=32');
    expect(xml).toContain('<podcasts>\n  <podcast>\n');
    expect(xml).toContain('    <description>First &lt;things&gt; last.</description>\n');
    expect(xml).toContain(`    <scaled_logo_url>http://localhost/logo/32/${hash(LOGO)}</scaled_logo_url>\n`);
    expect(xml).toContain('    <position_last_week>0</position_last_week>\n');
  });

  it('contains nothing as jsonp that ends a script', async () => {
    const server = await openFilled();
    await recordFeed(server.storage, A, { title: '</script>\u2028' });
    const script = await read(server, '/toplist/1.jsonp?jsonp=take');
    expect(script).toContain('"title":"<\\/script>\\u2028"');
  });

  it('is returned to each client as it was requested', async () => {
    const server = await openFilled();
    for (const callback of ['one', 'two']) {
      expect(await read(server, `/toplist/1.jsonp?jsonp=${callback}`)).toMatch(new RegExp(`^${callback}\\(`));
    }
    for (const size of [32, 64]) {
      expect(await read(server, `/toplist/1.json?scale_logo=${size}`)).toMatchObject([
        { scaled_logo_url: `http://localhost/logo/${size}/${hash(LOGO)}` },
      ]);
    }
    for (const host of ['one.example', 'two.example']) {
      const answer = await server.request('GET', '/toplist/1.json', { headers: { host } });
      expect(await answer.json()).toMatchObject([{ svc_link: expect.stringContaining(`http://${host}/`) }]);
    }
  });

  it('follows every change, and returns 304 if there was none', async () => {
    const server = await openFilled();
    const answer = await server.request('GET', '/toplist/2.json');
    const etag = answer.headers.get('etag')!;
    const again = await server.request('GET', '/toplist/2.json', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [B] });
    const changed = await server.request('GET', '/toplist/2.json', { headers: { 'if-none-match': etag } });
    expect([changed.status, ((await changed.json()) as any[]).map(({ subscribers }) => subscribers)]).toEqual([
      200,
      [1, 1],
    ]);
  });

  it('returns the position of last week', async () => {
    const server = await openFilled();
    await server.services.directory.rebuildToplist();
    server.clock.now += 7 * 86_400;
    const positions = (await read(server, '/toplist/2.json')).map((entry: any) => entry.position_last_week);
    expect(positions).toEqual([1, 2]);
  });

  it.each([
    ['', undefined],
    ['?scale_logo=', 64],
    ['?scale_logo=1', 1],
    ['?scale_logo=256', 256],
  ])('with %j has logos of size %s', async (query, size) => {
    const server = await openFilled();
    const links = (await read(server, `/toplist/2.json${query}`)).map((entry: any) => entry.scaled_logo_url);
    const link = (logo: string): unknown => size && `http://localhost/logo/${size}/${hash(logo)}`;
    expect(links).toEqual([link(LOGO), link('')]);
  });

  it('links to the public address of the server', async () => {
    const baseUrl = 'https://sync.example/pods';
    const server = await openFilled({ baseUrl });
    const [first] = await read(server, '/pods/toplist/1.json?scale_logo=8');
    expect(first.svc_link).toBe(`${baseUrl}/podcast?url=${encodeURIComponent(A)}`);
    expect(first.scaled_logo_url).toBe(`${baseUrl}/logo/8/${hash(LOGO)}`);
  });
});

it('does not list a feed with a password in its URL', async () => {
  const server = await openFilled({ keepUrlCredentials: true });
  const secret = 'http://eve:hunter2@example.org/alpha';
  await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [B, A, secret] });
  await recordFeed(server.storage, secret, { title: 'Alpha', tags: ['News'] });
  expect(await read(server, '/toplist/10.txt')).toBe(`${A}\n${B}\n`);
  expect(await read(server, '/toplist.opml')).not.toContain('hunter2');
  expect(await read(server, '/search.txt?q=alpha')).toBe(`${A}\n`);
  expect(await read(server, '/api/2/tag/news/10.json')).toEqual([PODCAST_A]);
  expect(await read(server, '/suggestions/10.txt', { auth })).toBe(`${B}\n`);
  expect(await read(server, '/subscriptions/eve/phone.txt', { auth: 'eve:secret' })).toContain(secret);
});

it('a hidden feed does not displace another one in a list', async () => {
  const server = await openFilled({ keepUrlCredentials: true });
  const secrets = ['alpha', 'beta', 'gamma'].map((name) => `http://eve:hunter2@example.org/${name}`);
  for (const user of ['bob', 'eve']) {
    await server.request('POST', `/api/2/subscriptions/${user}/laptop.json`, {
      auth: `${user}:secret`,
      body: { add: secrets },
    });
  }
  expect(await read(server, '/toplist/1.txt')).toBe(`${A}\n`);
  expect(await read(server, '/toplist/2.txt')).toBe(`${A}\n${B}\n`);
});
