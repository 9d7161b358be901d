import { expect, it } from 'vitest';
import { reachableUrls } from '../../../src/cli/server/address.ts';

it.each([
  [{ host: '127.0.0.1', port: 3000 }, 'http://127.0.0.1:3000'],
  [{ host: '::1', port: 3000 }, 'http://[::1]:3000'],
  [{ host: 'pods.example.org', port: 80 }, 'http://pods.example.org'],
  [{ host: 'pods.example.org', port: 443, tls: {} }, 'https://pods.example.org'],
])('%j is reachable at %s', (where, url) => {
  expect(reachableUrls(where)).toEqual([url]);
});

it.each(['0.0.0.0', '::'])('%s is reachable at addresses of this machine that others can open', (host) => {
  const urls = reachableUrls({ host, port: 3000 });
  expect(urls).not.toEqual([]);
  for (const url of urls) expect(url).not.toMatch(/0\.0\.0\.0|\[::\]|127\.0\.0\.1|fe80/);
});
