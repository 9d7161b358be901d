import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readList, type UploadFormat } from '../../src/formats/list.ts';
import { writeOpml } from '../../src/formats/opml-write.ts';
import { writeTxt } from '../../src/formats/txt.ts';
import { seed } from '../seed.ts';

const opml = '<opml><body><outline xmlUrl="http://a"/></body></opml>';

describe('uploaded lists', () => {
  it.each<[UploadFormat, string, string[]]>([
    ['json', '[]', []],
    ['json', '\ufeff ["http://a", " HTTP://b ", "", "http://a"]\n', ['http://a', ' HTTP://b ', '', 'http://a']],
    [
      'json',
      '[{"url": "http://a", "title": "A"}, {"feed": "http://b"}, "http://c"]',
      ['http://a', 'http://b', 'http://c'],
    ],
    ['json', '[{"url": null, "feed": "http://b"}]', ['http://b']],
    ['txt', '', []],
    ['txt', '\ufeff', []],
    ['txt', '\n \r\n\t\r', []],
    ['txt', '\ufeffhttp://a\n\nhttp://b\r\nhttp://c\rhttp://d', ['http://a', 'http://b', 'http://c', 'http://d']],
    ['txt', '  http://a \n \tnot a URL', ['http://a ', 'not a URL']],
    ['opml', opml, ['http://a']],
    ['opml', `\ufeff${opml}`, ['http://a']],
  ])('reads %s %j', (format, text, expected) => {
    expect(readList(format, text)).toEqual(expected);
  });

  it.each<[UploadFormat, string, RegExp]>([
    ['json', '', /missing/],
    ['json', ' \n', /missing/],
    ['json', '\ufeff', /missing/],
    ['json', '["http://a"', /not valid JSON/],
    ['json', 'http://a', /not valid JSON/],
    ['json', opml, /not valid JSON/],
    ['json', '{"add": ["http://a"]}', /array/],
    ['json', '"http://a"', /array/],
    ['json', 'null', /array/],
    ['json', '["http://a", 5]', /\[1\]/],
    ['json', '[null]', /\[0\]/],
    ['json', '[["http://a"]]', /\[0\]/],
    ['json', '["http://a", "http://b", {"title": "C"}]', /\[2\]/],
    ['json', '[{"url": 1}]', /\[0\]/],
    ['opml', '', /empty/],
    ['opml', '["http://a"]', /not XML/],
  ])('%s %j is refused', (format, text, message) => {
    expect(() => readList(format, text)).toThrow(
      expect.objectContaining({ code: 'invalid', message: expect.stringMatching(message) }),
    );
  });

  it.each<[UploadFormat, string]>([
    ['json', '<script>'],
    ['json', '[{"script": 1}]'],
    ['opml', '<opml><script></opml>'],
    ['opml', '<script/>'],
  ])('the error for %s %j does not repeat it', (format, text) => {
    expect(() => readList(format, text)).toThrow(/^(?!.*script)/s);
  });
});

it('JSON of nothing but brackets is refused before it is parsed', () => {
  expect(() => readList('json', '['.repeat(100_000))).toThrow(/nested too deeply/);
});

it('a plain text list has a line break after each URL', () => {
  expect(writeTxt([])).toBe('');
  expect(writeTxt(['http://a', 'http://b'])).toBe('http://a\nhttp://b\n');
});

it('reads a list as it was written, in every format', () => {
  fc.assert(
    fc.property(fc.array(fc.webUrl({ withQueryParameters: true })), (urls) => {
      expect(readList('json', JSON.stringify(urls))).toEqual(urls);
      expect(readList('txt', writeTxt(urls))).toEqual(urls);
      const podcasts = urls.map((url) => ({ url }));
      expect(readList('opml', writeOpml('Feeds', podcasts))).toEqual(urls);
    }),
    { seed },
  );
});
