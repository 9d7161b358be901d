import { episodeInfo, parsedFeed } from '../../podcasts.ts';
import { item, rss, type Sample } from './sample.ts';

const DAY = 86_400;
const day = (at: number): string => new Date(at * DAY * 1000).toUTCString();

/** Variants of episodes, links and tags. */
export const episodes: Sample[] = [
  {
    oddity: 'items without an enclosure, or without a usable one',
    body: rss(`<title>T</title>
      <item><title>A blog post</title><link>http://show.test/post</link></item>
      <item><title>Empty</title><enclosure url="" type="audio/mpeg"/></item>
      <item><title>No web</title><enclosure url="ftp://media.test/1.mp3" type="audio/mpeg"/></item>
      <item><title>No URL</title><enclosure type="audio/mpeg"/></item>
      ${item('http://media.test/1.mp3', '<title>Fine</title>')}`),
    expected: parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/1.mp3', title: 'Fine' })] }),
  },
  {
    oddity: 'several enclosures, of which the media is not the first, and meaningless types',
    body: rss(`<title>T</title>
      <item><enclosure url="http://media.test/1.jpg" type="image/jpeg"/><enclosure url="http://media.test/1" type="video/mp4"/><enclosure url="http://media.test/1.mp3" type="audio/mpeg"/></item>
      <item><enclosure url="http://media.test/2.pdf" type="application/pdf"/><enclosure url="http://media.test/2.MP3?x" type="application/octet-stream"/></item>
      <item><enclosure url="http://media.test/3.pdf" type="application/pdf"/><enclosure url="http://media.test/3.epub"/></item>`),
    expected: parsedFeed({
      title: 'T',
      episodes: [
        episodeInfo({ url: 'http://media.test/1' }),
        episodeInfo({ url: 'http://media.test/2.MP3?x' }),
        episodeInfo({ url: 'http://media.test/3.pdf' }),
      ],
    }),
  },
  {
    oddity: 'relative links',
    body: rss(
      `<title>T</title><link>/home</link><itunes:image href="logo.png"/>${item('media/1.mp3', '<link>//show.test/1</link>')}`,
    ),
    expected: parsedFeed({
      title: 'T',
      website: 'ORIGIN/home',
      logoUrl: 'ORIGIN/logo.png',
      episodes: [episodeInfo({ url: 'ORIGIN/media/1.mp3', website: 'http://show.test/1' })],
    }),
  },
  {
    oddity: 'an absolute media URL with dots in its path, and links that are too long',
    body: rss(
      `<title>T</title>${item('http://media.test/a/../1.mp3', `<link>http://show.test/${'x'.repeat(9000)}</link>`)}`,
    ),
    expected: parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/a/../1.mp3' })] }),
  },
  {
    oddity: 'a GUID and a duration that are too long',
    body: rss(
      `<title>T</title>${item('http://media.test/1.mp3', `<guid>${'x'.repeat(1001)}</guid><itunes:duration>9999999999</itunes:duration>`)}`,
    ),
    expected: parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/1.mp3' })] }),
  },
  {
    oddity: 'files of Media RSS with a medium only, of which the audio is not the first',
    body: rss(`<title>T</title>
      <item><media:content url="http://media.test/1" medium="image"/><media:content url="http://media.test/2" medium="audio"/></item>`),
    expected: parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/2' })] }),
  },
  {
    oddity: 'media URLs with non-ASCII letters, spaces, line breaks and a fragment',
    body: rss(
      `<title>T</title>${item(' http://Bücher.test/Größe 1.mp3 ', '<link>http://show.test/#/größe</link>')}${item('http://media.test/a\nb%20c%zz+d.mp3#t=1')}`,
    ),
    expected: parsedFeed({
      title: 'T',
      episodes: [
        episodeInfo({
          url: 'http://xn--bcher-kva.test/Gr%C3%B6%C3%9Fe%201.mp3',
          website: 'http://show.test/#/gr%C3%B6%C3%9Fe',
        }),
        episodeInfo({ url: 'http://media.test/ab%20c%zz+d.mp3' }),
      ],
    }),
  },
  {
    oddity: 'a media URL that was escaped twice, as apps decode it only once',
    body: rss(`<title>T</title>${item('http://media.test/1.mp3?a=1&amp;amp;b=2')}`),
    expected: parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/1.mp3?a=1&amp;b=2' })] }),
  },
  {
    oddity: 'authors in several elements, of which the first is not a name',
    body: rss(`<title>T</title><managingEditor>mail@show.test</managingEditor><itunes:author> </itunes:author>
      <itunes:owner><itunes:email>mail@show.test</itunes:email><itunes:name>Olive &amp;amp; Oak (mail@show.test)</itunes:name></itunes:owner>`),
    expected: parsedFeed({ title: 'T', author: 'Olive & Oak' }),
  },
  {
    oddity: 'e-mail addresses in parentheses, or nothing, where the name of the author would be',
    body: rss(`<title>T</title><managingEditor>mail@show.test (mail@show.test)</managingEditor><author>mail@show.test ()</author>
      <itunes:author>mail@show.test</itunes:author>`),
    expected: parsedFeed({ title: 'T' }),
  },
  {
    oddity: 'links that are not web pages, and a link with a password',
    body: rss(
      `<title>T</title><link>javascript:alert(1)</link><itunes:image href="data:image/png;base64,AAAA"/><image><url>ftp://show.test/l.png</url></image>${item('http://user:pass@media.test/1.mp3', '<link>https://user:pass@show.test/1</link>')}`,
    ),
    expected: parsedFeed({
      title: 'T',
      episodes: [episodeInfo({ url: 'http://user:pass@media.test/1.mp3', website: 'https://show.test/1' })],
    }),
  },
  {
    oddity: 'links that begin with the name of a server',
    body: rss(
      `<title>T</title><link>www.show.test/podcast</link>${item('http://media.test/1.mp3', '<link>WWW.show.test/1</link>')}`,
    ),
    expected: parsedFeed({
      title: 'T',
      website: 'http://www.show.test/podcast',
      episodes: [episodeInfo({ url: 'http://media.test/1.mp3', website: 'http://www.show.test/1' })],
    }),
  },
  {
    oddity: 'dates in any order and format; the newest comes first, episodes without a date last',
    body: rss(`<title>T</title>
      ${item('http://media.test/none', '<pubDate>yesterday</pubDate>')}
      ${item('http://media.test/old', '<pubDate>Mon, 3 Jan 00 10:00 EST</pubDate>')}
      ${item('http://media.test/new', '<pubDate>2024-01-31 10:00:00</pubDate>')}
      ${item('http://media.test/junk', '<pubDate>Lun, 05 Ene 2024 10:00:00 GMT</pubDate><dc:date>2010-01-01</dc:date>')}`),
    expected: parsedFeed({
      title: 'T',
      episodes: [
        episodeInfo({ url: 'http://media.test/new', releasedAt: 1_706_695_200 }),
        episodeInfo({ url: 'http://media.test/junk', releasedAt: 1_262_304_000 }),
        episodeInfo({ url: 'http://media.test/old', releasedAt: 946_911_600 }),
        episodeInfo({ url: 'http://media.test/none' }),
      ],
    }),
  },
  {
    oddity: 'durations in every format, and some invalid ones',
    body: rss(
      `<title>T</title>${['61', '01:01', '0:01:01', '61.9', '1:1', '0', '00:00:00', '-61', 'one hour', '', '99999999999'].map((duration, at) => item(`http://media.test/${at}`, `<itunes:duration> ${duration} </itunes:duration>`)).join('')}`,
    ),
    expected: parsedFeed({
      title: 'T',
      episodes: Array.from({ length: 11 }, (_, at) =>
        episodeInfo({ url: `http://media.test/${at}`, ...(at < 5 && { duration: 61 }) }),
      ),
    }),
  },
  {
    oddity: '5,200 episodes, oldest first',
    body: rss(
      `<title>T</title>${Array.from({ length: 5200 }, (_, at) => item(`http://media.test/${at + 1}`, `<pubDate>${day(at + 1)}</pubDate>`)).join('')}`,
    ),
    expected: parsedFeed({
      title: 'T',
      episodes: Array.from({ length: 5000 }, (_, at) =>
        episodeInfo({ url: `http://media.test/${5200 - at}`, releasedAt: (5200 - at) * DAY }),
      ),
    }),
  },
  {
    oddity: 'GUIDs that are the only links',
    body: rss(`<title>T</title>
      ${item('http://media.test/1', '<guid>https://show.test/1</guid>')}
      ${item('http://media.test/2', '<guid isPermaLink="false">https://show.test/2</guid>')}
      ${item('http://media.test/3', '<guid isPermaLink="true">tag:show.test,2024:3</guid>')}`),
    expected: parsedFeed({
      title: 'T',
      episodes: [
        episodeInfo({ url: 'http://media.test/1', guid: 'https://show.test/1', website: 'https://show.test/1' }),
        episodeInfo({ url: 'http://media.test/2', guid: 'https://show.test/2' }),
        episodeInfo({ url: 'http://media.test/3', guid: 'tag:show.test,2024:3' }),
      ],
    }),
  },
  {
    oddity: 'the same GUID in all episodes, and duplicate episodes',
    body: rss(`<title>T</title>
      ${item('http://media.test/1', '<guid>http://show.test</guid><title>One</title>')}
      ${item('http://media.test/2', '<guid>http://show.test</guid><title>Two</title>')}
      ${item('http://media.test/3', '<guid isPermaLink="false">3</guid><title>Three</title>')}
      ${item('http://media.test/3', '<guid isPermaLink="false">3</guid><title>Three again</title>')}`),
    expected: parsedFeed({
      title: 'T',
      episodes: [
        episodeInfo({ url: 'http://media.test/1', title: 'One', website: 'http://show.test/' }),
        episodeInfo({ url: 'http://media.test/2', title: 'Two', website: 'http://show.test/' }),
        episodeInfo({ url: 'http://media.test/3', title: 'Three', guid: '3' }),
      ],
    }),
  },
  {
    oddity: 'too many tags, some of them duplicate or empty',
    body: rss(`<title>T</title><itunes:category text="Health &amp;amp; Fitness"/><category>health &amp; fitness</category>
      <category/><category>!!!</category><category><![CDATA[<b>Arts</b>]]></category><itunes:keywords>not, these</itunes:keywords>
      ${Array.from({ length: 30 }, (_, at) => `<category>Tag ${at}</category>`).join('')}${item('http://media.test/1')}`),
    expected: parsedFeed({
      title: 'T',
      tags: ['Health & Fitness', 'Arts', ...Array.from({ length: 18 }, (_, at) => `Tag ${at}`)],
      episodes: [episodeInfo({ url: 'http://media.test/1' })],
    }),
  },
  {
    oddity: 'names in any case, and a language with an underscore',
    body: `<RSS VERSION="2.0"><Channel><TITLE>T</TITLE><Language>DE_at</Language><ITEM><Title>One</Title>
      <ENCLOSURE URL='http://media.test/1' TYPE='AUDIO/MPEG'/><PubDate>wed, 31 jan 2024 09:00:00 gmt</PubDate></ITEM></Channel></RSS>`,
    expected: parsedFeed({
      title: 'T',
      language: 'de-at',
      episodes: [episodeInfo({ url: 'http://media.test/1', title: 'One', releasedAt: 1_706_691_600 })],
    }),
  },
];
