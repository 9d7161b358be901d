import { expect, it } from 'vitest';
import { toWebScheme } from '../../src/domain/feed-scheme.ts';

it.each([
  ['feed://feeds.example/a', 'http://feeds.example/a'],
  ['feed:https://feeds.example/a', 'https://feeds.example/a'],
  ['feed://https://feeds.example/a', 'https://feeds.example/a'],
  ['FEED:http://feeds.example/a', 'http://feeds.example/a'],
  ['itpc://feeds.example/a', 'http://feeds.example/a'],
  ['itms://feeds.example/a', 'http://feeds.example/a'],
  ['pcast://feeds.example/a', 'http://feeds.example/a'],
  ['podcast://feeds.example/a', 'http://feeds.example/a'],
  [' https://feeds.example/feed:x ', 'https://feeds.example/feed:x'],
  ['mailto:feed@example.org', 'mailto:feed@example.org'],
  ['feeds.example/a', 'feeds.example/a'],
])('%s is %s', (address, web) => {
  expect(toWebScheme(address)).toBe(web);
  expect(toWebScheme(web)).toBe(web);
});
