import { episodeInfo, parsedFeed } from '../../podcasts.ts';
import { item, rss, type Sample } from './sample.ts';

const MEDIA = 'http://media.test/1.mp3';
/** A feed with one episode that has these elements. */
const one = (inner: string): string => rss(`<title>T</title>${item(MEDIA, inner)}`);
const read = (known: Partial<Parameters<typeof episodeInfo>[0]>): Sample['expected'] =>
  parsedFeed({ title: 'T', episodes: [episodeInfo({ url: MEDIA, ...known })] });

/** Variants of text in feeds. */
export const texts: Sample[] = [
  {
    oddity: 'HTML entities that XML does not know',
    body: one('<title>Caf&eacute;&nbsp;&hellip; &copy;&unknown; &rsquo;s</title>'),
    expected: read({ title: 'Café … ©&unknown; ’s' }),
  },
  {
    oddity: 'numeric references, also those of windows-1252',
    body: one('<title>&#8220;It&#146;s&#x201D; &#x1F600; &#0;&#1;&#xD800;</title>'),
    expected: read({ title: '“It’s” 😀' }),
  },
  {
    oddity: 'emoji as two references each',
    body: one('<title>&#55357;&#56832; &#xD83D;&#xde00; &amp;#55357;&amp;#56832; &#55357;x&#56832;</title>'),
    expected: read({ title: '😀 😀 😀 x' }),
  },
  {
    oddity: 'windows-1252 that was wrongly converted to UTF-8',
    body: one('<title><![CDATA[It\u0092s \u0093fine\u0094]]></title>'),
    expected: read({ title: 'It’s “fine”' }),
  },
  {
    oddity: 'titles that were escaped twice',
    body: one('<title>Tom &amp;amp; Jerry &amp;#8211; AT&amp;T &amp;lt;3</title>'),
    expected: read({ title: 'Tom & Jerry – AT&T <3' }),
  },
  {
    oddity: 'titles with markup, line breaks and text that only looks like markup',
    body: one('<title>\n  A <![CDATA[<b>bold</b>]]>\n\t word: 1 &lt; 2, List&lt;int&gt; &amp; I <3 you > me </title>'),
    expected: read({ title: 'A bold word: 1 < 2, List<int> & I <3 you > me' }),
  },
  {
    oddity: 'a bare & in text and in a URL',
    body: rss(`<title>T & Q</title>${item('http://media.test/1.mp3?a=1&b=2&copy=3', '<title>R&B & more</title>')}`),
    expected: parsedFeed({
      title: 'T & Q',
      episodes: [episodeInfo({ url: 'http://media.test/1.mp3?a=1&b=2&copy=3', title: 'R&B & more' })],
    }),
  },
  {
    oddity: 'CDATA around everything, and one section in two parts',
    body: one(`<title><![CDATA[A ]]]]><![CDATA[ > B & C]]></title><link><![CDATA[ http://show.test/?a=1&b=2 ]]></link>
      <guid isPermaLink="false"><![CDATA[<guid & 1>]]></guid><pubDate><![CDATA[Wed, 31 Jan 2024 09:00:00 GMT]]></pubDate>`),
    expected: read({
      title: 'A ]] > B & C',
      website: 'http://show.test/?a=1&b=2',
      guid: '<guid & 1>',
      releasedAt: 1_706_691_600,
    }),
  },
  {
    oddity: 'CDATA that was escaped like text',
    body: one('<title>&lt;![CDATA[Wrapped]]&gt;</title>'),
    expected: read({ title: 'Wrapped' }),
  },
  {
    oddity: 'unescaped HTML that is not XML',
    body: one(
      '<description><p class="a">One<br>two & <img src="x.png"> three</p><hr></description><title>After</title>',
    ),
    expected: read({ description: 'One\ntwo & three', title: 'After' }),
  },
  {
    oddity: 'HTML that was escaped twice',
    body: one(
      '<description>&amp;lt;p&amp;gt;One &amp;amp;amp; two&amp;lt;/p&amp;gt;&amp;lt;p&amp;gt;three&amp;lt;/p&amp;gt;</description>',
    ),
    expected: read({ description: 'One & two\n\nthree' }),
  },
  {
    oddity: 'HTML about HTML',
    body: one('<description>&lt;p&gt;Write &amp;lt;p&amp;gt;x&amp;lt;/p&amp;gt;&lt;/p&gt;</description>'),
    expected: read({ description: 'Write <p>x</p>' }),
  },
  {
    oddity: 'plain text with line breaks and a link',
    body: one(
      '<description>Line one\r\n  line two <![CDATA[<a href="http://x.test/?a>b">here</a>]]>\n\n\n\nline three</description>',
    ),
    expected: read({ description: 'Line one\nline two here\n\nline three' }),
  },
  {
    oddity: 'scripts, styles and comments in a description',
    body: one(
      `<description><![CDATA[<style>p { color: red }</style><p>Text</p><!-- <b>not</b> --><script>if (a < b) alert("</p>")</script><p>more</p><iframe src="x">frame</iframe>]]></description>`,
    ),
    expected: read({ description: 'Text\n\nmore' }),
  },
  {
    oddity: 'a list and a table',
    body: one(
      '<description><![CDATA[<h1>Links</h1>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul><table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>]]></description>',
    ),
    expected: read({ description: 'Links\n\na\nb\n\n1 2\n3' }),
  },
  {
    oddity: 'content:encoded without a description',
    body: one(
      '<description> </description><content:encoded><![CDATA[<p>All of it</p>]]></content:encoded><itunes:subtitle>Sub</itunes:subtitle>',
    ),
    expected: read({ description: 'All of it' }),
  },
  {
    oddity: 'a description of only an image, and a summary',
    body: one('<description><![CDATA[<img src="x.png"/>]]></description><itunes:summary>Sum</itunes:summary>'),
    expected: read({ description: 'Sum' }),
  },
  {
    oddity: 'control characters and invalid characters',
    body: one('<title>A\u0000B\u0008C\u001bD\u007fE\ufeffF\uffff</title><link>http://show.test/\u0001</link>'),
    expected: read({ title: 'ABCDEF', website: 'http://show.test/' }),
  },
  {
    oddity: 'very long texts',
    body: one(`<title>${'long '.repeat(1000)}</title><description>x${'😀'.repeat(20_000)}</description>`),
    expected: read({ title: 'long '.repeat(100).trim(), description: `x${'😀'.repeat(4999)}` }),
  },
  {
    oddity: 'a DOCTYPE with entities, which are not expanded',
    body: rss(
      `<title>&who; &file; &nbsp;x</title>${item(MEDIA)}`,
      `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY nbsp "&#160;"><!ENTITY co 'A &amp; B'><!ENTITY who "Eve <rss>"><!ENTITY file SYSTEM "file:///etc/hostname">]>\n`,
    ),
    expected: parsedFeed({ title: '&who; &file; x', episodes: [episodeInfo({ url: MEDIA })] }),
  },
  ...[
    ['The &lt;template&gt; element and how to use it', 'The <template> element and how to use it'],
    ['Episode 5: &lt;script&gt; tags explained', 'Episode 5: <script> tags explained'],
    ['<![CDATA[Episode 5: <script> tags explained]]>', 'Episode 5: <script> tags explained'],
    ['&lt;iframe&gt; or &lt;object&gt;?', '<iframe> or <object>?'],
    ['&lt;img&gt;, &lt;hr&gt; and I &lt;3 U', '<img>, <hr> and I <3 U'],
    ['The &amp;lt;b&amp;gt; element &lt;em&gt;today&lt;/em&gt;', 'The <b> element today'],
    ['&lt;p&gt;One&lt;br/&gt;two &lt;img src="x.png"&gt;&lt;a href="x"&gt;three&lt;/a&gt;&lt;/p&gt;', 'One two three'],
  ].map(([written, title]) => ({
    oddity: `the title ${written}`,
    body: one(`<title>${written}</title>`),
    expected: read({ title: title! }),
  })),
  {
    oddity: 'references of every kind: named, numeric, escaped twice, in CDATA, and in attributes',
    body: rss(`<title>One &mdash; two &ndash; three&hellip; &quot;four&quot; &#39;five&#x27; &apos;six&apos;</title>
      <itunes:author>Anna &amp;amp; Ben &amp;quot;Bo&amp;quot; M&amp;uuml;ller</itunes:author>
      <description><![CDATA[<p>&sbquo;a&lsquo; &dagger; b&ensp;c &hearts; It&amp;#8217;s &amp;ldquo;d&amp;rdquo; &amp;amp; e</p>]]></description>
      <itunes:category text="Rock &amp;amp; &quot;Roll&quot; &ndash; live"/>
      ${item(MEDIA, '<title><![CDATA[Tom &amp;amp; Jerry&amp;#8217;s &quot;show&quot;]]></title>')}`),
    expected: parsedFeed({
      title: "One — two – three… \"four\" 'five' 'six'",
      author: 'Anna & Ben "Bo" Müller',
      description: '‚a‘ † b c ♥ It’s “d” & e',
      tags: ['Rock & "Roll" – live'],
      episodes: [episodeInfo({ url: MEDIA, title: 'Tom & Jerry’s "show"' })],
    }),
  },
  ...['script', 'style', 'iframe src="x"', 'object', 'svg', '!--'].map((tag) => ({
    oddity: `<${tag}> without an end in a description`,
    body: one(`<description><![CDATA[<p>One</p><${tag}${tag === '!--' ? '' : '>'}<p>two</p>]]></description>`),
    expected: read({ description: 'One\n\ntwo' }),
  })),
  {
    oddity: 'a description that is truncated in a tag',
    body: one('<description><![CDATA[<p>One <a href="http://show.te]]></description>'),
    expected: read({ description: 'One' }),
  },
  {
    oddity: 'text that only looks like HTML in a description',
    body: one(
      '<description><![CDATA[I <3 List<int>: if a <b then c.\nWrite to <jo@show.test> or <https://show.test/>\nMore]]></description>',
    ),
    expected: read({
      description: 'I <3 List<int>: if a <b then c.\nWrite to <jo@show.test> or <https://show.test/>\nMore',
    }),
  },
  {
    oddity: 'the markup of a word processor',
    body: one(
      '<description><![CDATA[<!DOCTYPE html><?xml:namespace prefix="o"?><p class=MsoNormal title="a > b">One<o:p></o:p></p><br/>two]]></description>',
    ),
    expected: read({ description: 'One\n\ntwo' }),
  },
];
