import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { byPath, redirect, send, startFeedServer, startFetcher } from './feed-server.ts';
import { rss } from './samples/sample.ts';

describe('redirects', () => {
  it.each([
    ['a permanent one', { '/': redirect(301, '/a'), '/a': send({}) }, '/a'],
    [
      'permanent ones, in two kinds',
      { '/': redirect(308, '/a'), '/a': redirect(301, 'b?x=1#y'), '/b?x=1': send({}) },
      '/b?x=1',
    ],
    ['a temporary one', { '/': redirect(302, '/a'), '/a': send({}) }, undefined],
    [
      'a temporary one after a permanent one',
      { '/': redirect(301, '/a'), '/a': redirect(307, '/b'), '/b': send({}) },
      '/a',
    ],
    [
      'a permanent one after a temporary one',
      { '/': redirect(303, '/a'), '/a': redirect(301, '/b'), '/b': send({}) },
      undefined,
    ],
    [
      'five',
      {
        '/': redirect(301, '/1'),
        '/1': redirect(301, '/2'),
        '/2': redirect(301, '/3'),
        '/3': redirect(301, '/4'),
        '/4': redirect(301, '/5'),
        '/5': send({}),
      },
      '/5',
    ],
  ])('%s leads to the feed, and to its new URL if all were permanent', async (_, routes, movedTo) => {
    const { origin } = await startFeedServer(byPath(routes as Parameters<typeof byPath>[0]));
    const outcome = await startFetcher().fetchFeed(`${origin}/`, {});
    expect(outcome).toMatchObject({ kind: 'fetched' });
    expect('movedTo' in outcome ? outcome.movedTo : undefined).toBe(movedTo && origin + movedTo);
  });

  it('an unchanged feed has its new URL, too', async () => {
    const { origin } = await startFeedServer(
      byPath({ '/': redirect(301, '/a'), '/a': (response) => void response.writeHead(304).end() }),
    );
    const outcome = await startFetcher().fetchFeed(`${origin}/`, { etag: '"1"' });
    expect(outcome).toEqual({ kind: 'unchanged', movedTo: `${origin}/a` });
  });

  it.each([
    ['UTF-8', Buffer.from('/Füße'), '/F%C3%BC%C3%9Fe'],
    ['Latin-1', Buffer.from('/Füße', 'latin1'), '/F%C3%BC%C3%9Fe'],
  ])('to a URL in unescaped %s are followed', async (_, location, path) => {
    const { origin } = await startFeedServer(
      byPath({ '/': redirect(301, location.toString('latin1')), [path]: send({}) }),
    );
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toMatchObject({ movedTo: origin + path });
  });

  it('relative links of the feed are relative to the final URL', async () => {
    const { origin } = await startFeedServer(
      byPath({ '/': redirect(302, '/deep/feed'), '/deep/feed': send({}, rss('<link>home</link>')) }),
    );
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toMatchObject({
      feed: { website: `${origin}/deep/home` },
    });
  });

  it.each([
    ['a circle', { '/': redirect(301, '/a'), '/a': redirect(302, '/') }, 'it redirects in a loop'],
    ['itself', { '/': redirect(302, '/') }, 'it redirects in a loop'],
    [
      'six',
      Object.fromEntries(['/', '/1', '/2', '/3', '/4', '/5'].map((path, at) => [path, redirect(301, `/${at + 1}`)])),
      'it redirects more than 5 times',
    ],
    [
      'another scheme',
      { '/': redirect(301, 'ftp://feeds.test/') },
      'it redirects to something that is not an http(s) address',
    ],
    ['nonsense', { '/': redirect(301, 'http://') }, 'it redirects to something that is not an http(s) address'],
    [
      'nowhere',
      { '/': (response: ServerResponse) => void response.writeHead(301).end() },
      'the server answered 301 (Moved Permanently)',
    ],
  ])('%s is a failure', async (_, routes, message) => {
    const { origin } = await startFeedServer(byPath(routes));
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toEqual({ kind: 'failed', message });
  });
});

describe('credentials in the URL', () => {
  it('are sent as Basic, also after a redirect within the site, and kept in the new URL', async () => {
    const { origin, requests } = await startFeedServer(byPath({ '/': redirect(301, '/a'), '/a': send({}) }));
    const url = `${origin}/`.replace('://', '://bob:p%40ss@');
    const outcome = await startFetcher().fetchFeed(url, {});
    expect(outcome).toMatchObject({ kind: 'fetched', movedTo: url + 'a' });
    const basic = `Basic ${Buffer.from('bob:p@ss').toString('base64')}`;
    expect(requests.map((request) => request.headers.authorization)).toEqual([basic, basic]);
  });

  it('may be a password without a name', async () => {
    const { origin, requests } = await startFeedServer(byPath({ '/': redirect(301, '/a'), '/a': send({}) }));
    const url = `${origin}/`.replace('://', '://:token@');
    expect(await startFetcher().fetchFeed(url, {})).toMatchObject({ kind: 'fetched', movedTo: url + 'a' });
    const basic = `Basic ${Buffer.from(':token').toString('base64')}`;
    expect(requests.map((request) => request.headers.authorization)).toEqual([basic, basic]);
  });

  it('in a redirect do not change the URL, as the feed would be unavailable without them', async () => {
    const { origin } = await startFeedServer((request, response) => {
      const secret = `http://bob:pass@${request.headers.host}/feed`;
      if (request.url === '/') redirect(301, secret)(response);
      else if (request.headers.authorization === undefined) response.writeHead(401).end();
      else send({})(response);
    });
    const outcome = await startFetcher().fetchFeed(`${origin}/`, {});
    expect(Object.keys(outcome)).toEqual(['kind', 'feed']);
  });

  it('are not sent to another site', async () => {
    const other = await startFeedServer((_, response) => send({})(response));
    const { origin } = await startFeedServer((_, response) => redirect(301, `${other.origin}/`)(response));
    await startFetcher().fetchFeed(`${origin}/`.replace('://', '://bob:pass@'), {});
    expect(other.requests.map((request) => request.headers.authorization)).toEqual([undefined]);
  });

  it('appear neither in error messages nor in the feed', async () => {
    const { origin } = await startFeedServer(
      byPath({ '/feed': send({}, rss('<link>/home</link><item><enclosure url="1.mp3"/></item>')) }),
    );
    const { fetchFeed } = startFetcher();
    const secret = origin.replace('://', '://bob:pa55@');
    const closed = await startFeedServer(() => undefined);
    const all = [
      await fetchFeed(`${secret}/feed`, {}),
      await fetchFeed(`${secret}/missing`, {}),
      await fetchFeed(`http://bob:pa55@${'x'.repeat(70)}.test/`, {}),
      await fetchFeed(`http://bob:pa55@[::g]/`, {}),
      await startFetcher({ allowPrivate: false }).fetchFeed(closed.origin.replace('://', '://bob:pa55@'), {}),
    ];
    expect(all.map(({ kind }) => kind)).toEqual(['fetched', 'failed', 'failed', 'failed', 'failed']);
    expect(JSON.stringify(all)).not.toContain('pa55');
  });
});
