import { describe, expect, it } from 'vitest';
import { openTestServer } from '../server.ts';

/** Origin and path at the start of the links in a response. */
const linkFor = async (options: object, headers: Record<string, string>): Promise<string> => {
  const { request } = await openTestServer(options);
  const config: any = await (await request('GET', '/clientconfig.json', { headers })).json();
  return config.mygpo.baseurl;
};

describe('links', () => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'sync.example' };

  it.each<[object, Record<string, string>, string]>([
    [{}, {}, 'http://localhost/'],
    [{}, { host: 'sync.example:8080' }, 'http://sync.example:8080/'],
    [{}, { host: '[2001:DB8::1]:18080' }, 'http://[2001:DB8::1]:18080/'],
    [{}, { host: '"><b>' }, 'http://localhost/'],
    [{}, { host: 'name@evil.example' }, 'http://localhost/'],
    [{}, { host: 'x:99999' }, 'http://localhost/'],
    [{}, { host: 'evil.example/path?' }, 'http://localhost/'],
    [{}, { host: '1.2.3.999' }, 'http://localhost/'],
    [{}, forwarded, 'http://localhost/'],
    [{ trustProxy: true }, forwarded, 'https://sync.example/'],
    [{ trustProxy: true }, { ...forwarded, 'x-forwarded-host': 'evil.example, sync.example' }, 'https://sync.example/'],
    [{ trustProxy: true }, { ...forwarded, 'x-forwarded-host': 'a b' }, 'https://localhost/'],
    [{ trustProxy: true }, { host: 'sync.example', 'x-forwarded-host': '' }, 'http://sync.example/'],
    [
      { baseUrl: 'https://sync.example/sub', trustProxy: true },
      { host: 'x', ...forwarded },
      'https://sync.example/sub/',
    ],
  ])('with %j and %j start with %s', async (options, headers, base) => {
    expect(await linkFor(options, headers)).toBe(base);
  });
});

it('clients find the addresses of the interface', async () => {
  const { request } = await openTestServer({ baseUrl: 'https://sync.example' });
  expect(await (await request('GET', '/clientconfig.json')).json()).toEqual({
    mygpo: { baseurl: 'https://sync.example/' },
    'mygpo-feedservice': { baseurl: 'https://sync.example/' },
    update_timeout: 604_800,
  });
});
