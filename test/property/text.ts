import fc from 'fast-check';

/** Text that has broken some program. */
const NASTY = [
  '',
  ' ',
  '.',
  '..',
  '../../../etc/passwd',
  '\0',
  '\r\nSet-Cookie: sessionid=1',
  '\u{feff}',
  '\u202egpj.exe',
  '\ud800',
  'a\udc00b',
  '💥'.repeat(60),
  'x'.repeat(256),
  'x'.repeat(9000),
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  ']]>',
  '&lt;b&gt;',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e9',
  '9'.repeat(40),
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c3%28',
  '%2e%2e%2f',
  '%2525',
  '{{7*7}}',
  '${7*7}',
  'BOB',
  'ß',
  'İ',
  'K', // the Kelvin sign
];

export const nasty = fc.constantFrom(...NASTY);

export const text = fc.oneof(nasty, fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

/** Text that is valid everywhere. */
export const plainText = fc.oneof(fc.constantFrom('My phone', 'Küche', 'a'), fc.nat(1_000_000).map(String));

const CLEAN_URLS = [
  'http://example.org/feed',
  'http://example.org/feed?format=mp3',
  'https://example.org/1.mp3',
  'https://pod.example/a%20b/c+d',
];
const ODD_URLS = [
  ' http://example.org/feed ',
  'HTTP://EXAMPLE.org:80/Feed#top',
  'http://user:pass@example.org/feed',
  'http://bücher.example/größe?ä=ö',
  'http://[::1]/feed',
  'http://example.org:99999/',
  'http://',
  'http://a b/',
  'http://example.org/%zz%',
  'http://example.org/<script>alert(1)</script>',
  'http://example.org/\u2028',
  `http://example.org/${'x'.repeat(9000)}`,
  'javascript:alert(1)',
  'feed://example.org/feed',
  '//example.org/feed',
];

export const plainUrl = fc.oneof(
  fc.constantFrom(...CLEAN_URLS),
  fc.nat(10_000).map((n) => `http://example.org/${n}.mp3`),
);

export const url = fc.oneof(
  { weight: 6, arbitrary: plainUrl },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_URLS) },
  { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true, size: 'small' }) },
  { weight: 1, arbitrary: text.map((rest) => `http://example.org/${rest}`) },
  { weight: 1, arbitrary: text },
);

export const plainDevice = fc.constantFrom('phone', 'laptop', 'my.host.lan', 'Küche 2');

export const device = fc.oneof({ weight: 4, arbitrary: plainDevice }, { weight: 1, arbitrary: text });
