import { describe, expect, it } from 'vitest';
import { readOpml } from '../../src/formats/opml-read.ts';
import { writeOpml } from '../../src/formats/opml-write.ts';

const opml = (body: string, head = '<title>Feeds</title>'): string =>
  `<opml version="2.0"><head>${head}</head><body>${body}</body></opml>`;
const feed = '<outline xmlUrl="http://example.org/f"/>';
const folders = (depth: number): string => opml('<outline>'.repeat(depth) + feed + '</outline>'.repeat(depth));
const manyAttributes = (count: number): string =>
  opml(`<outline ${Array.from({ length: count }, (_, index) => `a${index}=""`).join(' ')}/>${feed}`);
const urls = (text: string): string[] => readOpml(text).map((podcast) => podcast.url);

describe('feeds are found', () => {
  it.each([
    ['with an XML declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${opml(feed)}`],
    ['after a byte order mark and blank lines', `\ufeff\n\n<?xml version="1.0"?>${opml(feed)}\n`],
    ['without body', `<opml>${feed}</opml>`],
    ['without head', `<opml><body>${feed}</body></opml>`],
    ['after a DOCTYPE', `<!DOCTYPE opml SYSTEM "opml.dtd">${opml(feed)}`],
    [
      'beside comments, text and CDATA',
      opml(`<!-- <outline xmlUrl="no"/> -->a<![CDATA[<outline xmlUrl="no"/>]]>${feed}`),
    ],
    ['with any type', opml('<outline type="audio" xmlUrl="http://example.org/f"/>')],
    ['in any case', opml('<outline XMLURL="http://example.org/f"/>')],
    ['in single quotes', opml("<outline\n\txmlUrl = 'http://example.org/f' />")],
    ['as url of type rss', opml('<outline type="rss" url="http://example.org/f"/>')],
    ['as URL of type Link', opml('<outline TYPE="Link" URL="http://example.org/f"/>')],
    ['in 100 folders', folders(100)],
    ['beside names that objects have', opml(`<toString hasOwnProperty="1"/>${feed}`)],
    ['beside attributes that objects have', opml(`<outline __proto__="x" constructor="y"/>${feed}`)],
    ['beside a thousand attributes', manyAttributes(1000)],
    ['with a long title', opml(feed.replace('/>', ` title="${'a = b '.repeat(3000)}"/>`))],
    ['once in head and once in body', opml(feed, '<outline xmlUrl="http://example.org/head"/>')],
  ])('%s', (_, text) => {
    expect(urls(text)).toEqual(['http://example.org/f']);
  });

  it('in the order written, folder by folder', () => {
    const text = opml('<outline xmlUrl="1"><outline xmlUrl="2"/></outline><outline><outline xmlUrl="3"/></outline>');
    expect(urls(text)).toEqual(['1', '2', '3']);
  });

  it('as written, even if the URL is unusable', () => {
    expect(urls(opml('<outline xmlUrl=""/><outline xmlUrl=" ftp://x "/>'))).toEqual(['', ' ftp://x ']);
  });
});

it.each([
  ['nothing', '<opml/>'],
  ['an empty body', opml('')],
  ['folders only', opml('<outline text="News"/>')],
  ['url without a type', opml('<outline url="http://example.org/f"/>')],
  ['url of another type', opml('<outline type="include" url="http://example.org/f"/>')],
])('an OPML with %s is an empty list', (_, text) => {
  expect(readOpml(text)).toEqual([]);
});

it.each([
  ['a=1&amp;b=2', 'a=1&b=2'],
  ['a=1&b=2', 'a=1&b=2'],
  ['&#8217;&#x2019;&#X1F600;', '’’😀'],
  ['&#55357;&#56832;&#xd83d;&#xDE00;&#55357;&#55357;', '😀😀'],
  ['&nbsp;&eacute;', '\u00a0&eacute;'],
  ['&amp;lt;', '&lt;'],
  ['&lt;&gt;&quot;&apos;', '<>"\''],
])('the attribute %s reads %s', (written, expected) => {
  expect(urls(opml(`<outline xmlUrl="${written}"/>`))).toEqual([expected]);
});

it.each([
  ['title="T" text="X" htmlUrl="http://h" description="D"', { title: 'T', website: 'http://h', description: 'D' }],
  ['text="X"', { title: 'X' }],
  ['title="" text="X" htmlUrl=""', { title: 'X' }],
  ['TITLE="T"', { title: 'T' }],
  ['text="http://f"', {}],
])('%s describes a podcast', (attributes, expected) => {
  expect(readOpml(opml(`<outline xmlUrl="http://f" ${attributes}/>`))).toEqual([{ url: 'http://f', ...expected }]);
});

it.each([
  ['nothing', '', /empty, cut off or not XML/],
  ['blanks', ' \n ', /empty, cut off or not XML/],
  ['text', 'http://example.org/f', /empty, cut off or not XML/],
  ['JSON', '["http://example.org/f"]', /empty, cut off or not XML/],
  ['HTML', '<html><body></body></html>', /single opml element/],
  ['RSS', '<rss version="2.0"><channel/></rss>', /single opml element/],
  ['a cut off list', `<opml><body>${feed}`, /cut off/],
  ['a list cut off in a tag', opml(feed).slice(0, 80), /line 1, column/],
  ['a list cut off in the last tag', opml(feed).slice(0, -1), /line 1, column/],
  ['an unclosed element', `<opml>\n<body>\n${feed}\n</opml>`, /line 4, column/],
  ['a stray closing tag', opml(`</outline>${feed}`), /well-formed/],
  ['an unquoted attribute', opml('<outline xmlUrl=http://f />'), /well-formed/],
  ['an attribute given twice', opml('<outline xmlUrl="a" xmlUrl="b"/>'), /well-formed/],
  ['two roots', `${opml(feed)}${opml(feed)}`, /well-formed/],
  ['two empty roots', '<opml/><opml/>', /single opml element/],
  ['text before', `x${opml(feed)}`, /not XML/],
  ['text after', `${opml(feed)}x`, /well-formed/],
  ['text after an empty root', '<opml/>x', /followed by other text/],
  ['an open comment', `${opml(feed)}<!-- -- >`, /well-formed/],
  ['a declaration that hides the rest', `<?a '?>${opml(feed)}<!-- '?> -->`, /single opml element/],
  ['a bare & in text', opml('Tom & Jerry'), /line 1, column/],
  ['an element __proto__', opml(`<__proto__ a="b">${feed}</__proto__>`), /well-formed/],
  ['declared entities', `<!DOCTYPE opml [<!ENTITY a "b">]>${opml(feed)}`, /DOCTYPE/],
  [
    'an external entity',
    `<!DOCTYPE opml SYSTEM "a>b" [<!ENTITY a SYSTEM "file:///etc/passwd">]>${opml(feed)}`,
    /DOCTYPE/,
  ],
  ['300 folders', folders(300), /256 deep/],
  ['an element with 1,001 attributes', manyAttributes(1001), /more than 1000 attributes/],
  ['an element with 250,000 attributes', manyAttributes(250_000), /more than 1000 attributes/],
  ['an element with 3,000 names', opml(`<outline ${'a '.repeat(3000)}/>`), /more than 1000 attributes/],
  ['an element with 3,000 values in no quotes', opml(`<outline ${'a='.repeat(3000)}/>`), /more than 1000 attributes/],
])('%s is refused', (_, text, message) => {
  expect(() => readOpml(text)).toThrow(
    expect.objectContaining({ code: 'invalid', message: expect.stringMatching(message) }),
  );
});

describe('large files', () => {
  it('5,000 feeds with descriptions are read', () => {
    const podcasts = Array.from({ length: 5000 }, (_, index) => ({
      url: `https://feeds.example.org/podcast/${index}/feed.xml?format=mp3&token=0123456789abcdef`,
      title: `The podcast with the number ${index} & friends`,
      website: `https://example.org/podcast/${index}`,
      description: 'Every week we talk about this and that. '.repeat(6),
    }));
    expect(readOpml(writeOpml('All of them', podcasts))).toEqual(podcasts);
  });

  it('millions of characters are read: only the size of the body is limited', () => {
    expect(readOpml(opml(feed.repeat(100_000)))).toHaveLength(100_000);
  });

  it('hundreds of thousands of entities in one attribute are read', () => {
    const entities = `<outline xmlUrl="${'&amp;'.repeat(500_000)}"/>`;
    expect(readOpml(opml(`${entities}${feed}`)).at(-1)).toEqual({ url: 'http://example.org/f' });
  });

  it('a tag that never ends is refused', () => {
    expect(() => readOpml(`<opml ${'a'.repeat(2_900_000)}`)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});
