import { expect, it } from 'vitest';
import { scopeKey } from '../../src/domain/scope.ts';

it('differs for different scopes', () => {
  const keys = [
    scopeKey({ kind: 'account' }),
    scopeKey({ kind: 'device', device: 'a' }),
    scopeKey({ kind: 'podcast', podcast: 'a' }),
    scopeKey({ kind: 'podcast', podcast: 'a,b' }),
    scopeKey({ kind: 'episode', podcast: 'a', episode: 'b' }),
    scopeKey({ kind: 'episode', podcast: 'a","b', episode: '' }),
    scopeKey({ kind: 'episode', podcast: 'a', episode: '","b' }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it('does not depend on the order of keys', () => {
  const key = scopeKey({ kind: 'episode', podcast: 'a', episode: 'b' });
  expect(scopeKey({ episode: 'b', podcast: 'a', kind: 'episode' })).toBe(key);
});
