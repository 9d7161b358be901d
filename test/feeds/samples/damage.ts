import { episodeInfo, parsedFeed } from '../../podcasts.ts';
import { item, rss, type Sample } from './sample.ts';

const one = parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/1.mp3', title: 'One' })] });
const ITEM = item('http://media.test/1.mp3', '<title>One</title>');

/** Damaged feeds that can still be read. */
export const damage: Sample[] = [
  {
    oddity: 'blank lines before the XML declaration',
    body: `\n\n  ${rss(`<title>T</title>${ITEM}`)}`,
    expected: one,
  },
  {
    oddity: 'PHP warnings before the XML declaration',
    contentType: 'text/html',
    body: `<br />\n<b>Warning</b>:  Cannot modify header information in <b>/var/www/x.php</b> on line <b>3</b><br />\n${rss(`<title>T</title>${ITEM}`)}`,
    expected: one,
  },
  {
    oddity: 'a comment, a stylesheet and no declaration',
    body: rss(`<title>T</title>${ITEM}`, '<!-- made by hand --><?xml-stylesheet href="x.xsl"?>'),
    expected: one,
  },
  {
    oddity: 'a script of a web host after the end',
    body: `${rss(`<title>T</title>${ITEM}`)}\n<!-- cached -->\n<script>if (a < b) { alert('it"s') }`,
    expected: one,
  },
  {
    oddity: 'a truncated item at the end',
    body: rss(`<title>T</title>${ITEM}<item><title>Two</ti`).replace(/<\/channel><\/rss>$/, ''),
    expected: one,
  },
  {
    oddity: 'a channel that is never closed',
    body: rss(`<title>T</title>${ITEM}`).replace('</channel>', ''),
    expected: one,
  },
  {
    oddity: 'items after the channel',
    body: rss(`<title>T</title>`).replace('</channel>', `</channel>${ITEM}`),
    expected: one,
  },
  {
    oddity: 'no namespace declared',
    body: `<rss><channel><title>T</title><itunes:author>A</itunes:author><itunes:image href="http://show.test/l.png"/>${ITEM}</channel></rss>`,
    expected: { ...one, author: 'A', logoUrl: 'http://show.test/l.png' },
  },
  {
    oddity: 'an item that is damaged beyond repair, between two others',
    body: rss(
      `<title>T</title>${ITEM}<item><title>Two<enclosure url="http://media.test/2.mp3"/></item>${item('http://media.test/3.mp3')}`,
    ),
    expected: parsedFeed({ title: 'T', episodes: [...one.episodes, episodeInfo({ url: 'http://media.test/3.mp3' })] }),
  },
  ...[
    ['a CDATA section', '<item><title>Two</title><description><![CDATA[abc</description></item>'],
    ['a comment', '<item><title>Two</title><description>x <!-- y</description></item>'],
    ['an item', '<item><title>Two</title>'],
  ].map(([what, broken]) => ({
    oddity: `${what} that is never closed, between two items`,
    body: rss(`<title>T</title>${ITEM}${broken}${item('http://media.test/3.mp3')}`),
    expected: parsedFeed({ title: 'T', episodes: [...one.episodes, episodeInfo({ url: 'http://media.test/3.mp3' })] }),
  })),
  {
    oddity: 'comments with tags in them before the root and the channel',
    body: rss(`<title>T</title>${ITEM}`, '<!-- this <feed> is public -->').replace(
      '<channel>',
      '<!-- <channel> begins --><channel>',
    ),
    expected: one,
  },
  {
    oddity: 'elements named like the properties of every object',
    body: rss(
      `<title>T</title><toString>x</toString><hasOwnProperty a="1"/>${item('http://media.test/1.mp3', '<title>One</title><valueOf/>')}`,
    ),
    expected: one,
  },
  {
    oddity: 'nothing but a title',
    body: '<rss><channel><title>T</title></channel></rss>',
    expected: parsedFeed({ title: 'T' }),
  },
];
