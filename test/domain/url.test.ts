import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasCredentials, redactUrl, sanitizeFeedUrl, sanitizeMediaUrl } from '../../src/domain/url.ts';
import { seed } from '../seed.ts';

const long = `http://example.org/${'a'.repeat(8192)}`;

describe('feed URLs', () => {
  it.each([
    // kept byte for byte
    ['http://example.org/feed', 'http://example.org/feed'],
    ['https://example.org/a%2Fb/%c3%a9?x=1+2&y=%20;z:@,=', 'https://example.org/a%2Fb/%c3%a9?x=1+2&y=%20;z:@,='],
    ['http://example.org/./a/../b/', 'http://example.org/./a/../b/'],
    ['http://example.org/Feed?utm_source=App', 'http://example.org/Feed?utm_source=App'],
    ['http://[2001:db8::1]:8080/f', 'http://[2001:db8::1]:8080/f'],
    ['http://under_score.example/f', 'http://under_score.example/f'],
    ['http://example.org/a?b?c', 'http://example.org/a?b?c'],
    ['http://example.org/100%', 'http://example.org/100%'],
    // blanks around, schemes, hosts
    ['  http://example.org/f\n', 'http://example.org/f'],
    ['HTTPS://EXAMPLE.org/F', 'https://example.org/F'],
    ['http://bücher.example/f', 'http://xn--bcher-kva.example/f'],
    ['http://example.org:80/f', 'http://example.org/f'],
    ['https://example.org:443/f', 'https://example.org/f'],
    ['https://example.org:80/f', 'https://example.org:80/f'],
    ['http://example.org:/f', 'http://example.org/f'],
    ['http://example.org:65535/f', 'http://example.org:65535/f'],
    ['http://example.org:65536/f', ''],
    ['http://user:p@ss@example.org/f', 'http://example.org/f'],
    // path and query
    ['http://example.org', 'http://example.org/'],
    ['http://example.org?x=1', 'http://example.org/?x=1'],
    ['http://example.org/f?', 'http://example.org/f'],
    ['http://example.org/f?#top', 'http://example.org/f'],
    ['http://example.org/f#top', 'http://example.org/f'],
    ['http://example.org/my feed?q=a b', 'http://example.org/my%20feed?q=a%20b'],
    ['http://example.org/é?ü=ß', 'http://example.org/%C3%A9?%C3%BC=%C3%9F'],
    ['http://example.org/🎧', 'http://example.org/%F0%9F%8E%A7'],
    // unusable
    ['', ''],
    ['ftp://example.org/f', ''],
    ['feed://example.org/f', ''],
    ['example.org/f', ''],
    ['http:example.org', ''],
    ['http://', ''],
    ['http:///f', ''],
    ['http://:80/f', ''],
    ['http://user@/f', ''],
    ['http://exa mple.org/f', ''],
    ['http://<b>.org/f', ''],
    ['http://example.org:99999/f', ''],
    ['http://example.org:8o/f', ''],
    ['http://example.org/a\u0000b', ''],
    ['http://example.org/a\nb', ''],
    ['http://example.org/\ud800', ''],
    [long, ''],
    [`http://example.org/${'é'.repeat(1400)}`, ''], // too long as soon as it is encoded
    [`http://${'ü'.repeat(254)}/f`, ''], // a host of no use, and slow to convert
  ])('%j becomes %j', (submitted, expected) => {
    expect(sanitizeFeedUrl(submitted)).toBe(expected);
  });

  it('keeps credentials with keepCredentials', () => {
    expect(sanitizeFeedUrl('http://u:p@Example.org/f', { keepCredentials: true })).toBe('http://u:p@example.org/f');
  });

  it('refuses non-ASCII characters in episode uploads', () => {
    expect(sanitizeFeedUrl('http://bücher.example/f', { ascii: true })).toBe('');
    expect(sanitizeFeedUrl('http://example.org/é', { ascii: true })).toBe('');
  });
});

describe('media URLs', () => {
  it.each([
    ['http://example.org/a.mp3', 'http://example.org/a.mp3'],
    ['HTTP://u:p@Example.org/a.mp3#t=1', 'http://u:p@example.org/a.mp3'],
    ['http://example.org/ä.mp3', ''],
    ['magnet:?xt=urn:btih:1', ''],
  ])('%j becomes %j', (submitted, expected) => {
    expect(sanitizeMediaUrl(submitted, { ascii: true })).toBe(expected);
  });
});

it.each([
  ['http://u:p@example.org/f', 'http://***@example.org/f'],
  ['http://u@example.org/f', 'http://***@example.org/f'],
  ['http://example.org/@bob/f', 'http://example.org/@bob/f'],
  ['http://example.org?q=a@b', 'http://example.org?q=a@b'],
])('%s is shown as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
  expect(hasCredentials(url)).toBe(url !== shown);
});

it('is idempotent', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'http',
      'HTTPS',
      '://',
      ':',
      '@',
      '/',
      '?',
      '#',
      '%',
      '%4',
      'é',
      ' ',
      'xn--',
      '１',
      '[',
      ']',
      '::1',
      ':80',
    ),
  );
  const url = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
  const withHost = url.map((rest) => `http://example.org${rest}`);
  fc.assert(
    fc.property(fc.oneof(url, withHost), fc.boolean(), fc.boolean(), (text, ascii, keepCredentials) => {
      const once = sanitizeFeedUrl(text, { ascii, keepCredentials });
      expect(sanitizeFeedUrl(once, { ascii, keepCredentials })).toBe(once);
    }),
    { seed, numRuns: 5000 },
  );
});
