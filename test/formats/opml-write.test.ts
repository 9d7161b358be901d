import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodcastEntry } from '../../src/domain/types.ts';
import { readOpml } from '../../src/formats/opml-read.ts';
import { writeOpml } from '../../src/formats/opml-write.ts';
import { seed } from '../seed.ts';

describe('writeOpml', () => {
  it('writes one outline for each podcast, with its metadata', () => {
    const podcast = {
      url: 'http://example.org/f?a=1&b=2',
      title: 'T "1"',
      website: 'http://example.org/',
      description: '<D>',
    };
    expect(writeOpml("Bob's feeds", [podcast, { url: 'http://example.org/g' }])).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>Bob&apos;s feeds</title>
  </head>
  <body>
    <outline type="rss" text="T &quot;1&quot;" title="T &quot;1&quot;" xmlUrl="http://example.org/f?a=1&amp;b=2" htmlUrl="http://example.org/" description="&lt;D&gt;"/>
    <outline type="rss" text="http://example.org/g" title="http://example.org/g" xmlUrl="http://example.org/g"/>
  </body>
</opml>
`,
    );
  });

  it('writes an empty list as valid OPML', () => {
    expect(readOpml(writeOpml('', []))).toEqual([]);
  });

  it.each([
    ['a\u0000b\u0008\u000b\u001f', 'a\ufffdb\ufffd\ufffd\ufffd'],
    ['\ufffe\uffff', '\ufffd\ufffd'],
    ['\ud800x\udc00', '\ufffdx\ufffd'],
    ['\udc00\ud800', '\ufffd\ufffd'],
    ['😀\u007f\u0085\u2028', '😀\u007f\u0085\u2028'],
    [' \t\n\r\n ', ' \t\n\r\n '],
  ])('writes the title %j as %j', (title, expected) => {
    expect(readOpml(writeOpml(title, [{ url: 'u', title }]))).toEqual([{ url: 'u', title: expected }]);
  });
});

it('what was written can be read', () => {
  const valid = fc
    .oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('&amp;', '&#38;', '</opml>', ']]>', '<!--', '"\''),
    )
    // oxlint-disable-next-line no-control-regex -- characters that XML cannot represent
    .map((text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?').toWellFormed());
  const podcast: fc.Arbitrary<PodcastEntry> = fc.record(
    { url: valid, title: valid.map((title) => `${title}.`), description: valid, website: valid },
    { requiredKeys: ['url', 'title'] },
  );
  fc.assert(
    fc.property(fc.string(), fc.array(podcast), (title, podcasts) => {
      const known = podcasts.filter((entry) => entry.title !== entry.url);
      expect(readOpml(writeOpml(title, known))).toEqual(known);
    }),
    { seed, numRuns: 1000 },
  );
});
