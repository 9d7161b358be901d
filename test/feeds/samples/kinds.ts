import { episodeInfo, parsedFeed } from '../../podcasts.ts';
import { item, rss, type Sample } from './sample.ts';

/** 2024-01-31T09:00:00Z */
const RELEASED = 1_706_691_600;

/** Each format of feeds, with all fields that podsync reads. */
export const kinds: Sample[] = [
  {
    oddity: 'nothing odd: RSS 2.0 of a podcast host',
    contentType: 'application/rss+xml; charset=utf-8',
    body: rss(`
      <atom:link href="http://feeds.test/self.xml" rel="self" type="application/rss+xml"/>
      <title>The Show</title>
      <link>https://show.test/</link>
      <description>About &lt;b&gt;things&lt;/b&gt;.</description>
      <language>en-US</language>
      <managingEditor>mail@show.test (The Editor)</managingEditor>
      <itunes:author>Jane Doe</itunes:author>
      <itunes:owner><itunes:name>The Owner</itunes:name><itunes:email>mail@show.test</itunes:email></itunes:owner>
      <image><url>https://show.test/small.png</url><title>Image</title><link>https://image.test/</link></image>
      <itunes:image href="https://show.test/large.jpg"/>
      <itunes:category text="Society &amp; Culture"><itunes:category text="Documentary"/></itunes:category>
      <itunes:category text="News"/>
      <item>
        <title>One</title>
        <link>https://show.test/1</link>
        <guid isPermaLink="false">show-1</guid>
        <pubDate>Wed, 31 Jan 2024 10:00:00 +0100</pubDate>
        <description><![CDATA[<p>First.</p><p>Second&nbsp;line,<br>third.</p>]]></description>
        <content:encoded><![CDATA[<p>Not this.</p>]]></content:encoded>
        <itunes:image href="https://show.test/1.jpg"/>
        <itunes:duration>01:02:03</itunes:duration>
        <enclosure url="https://media.test/1.mp3?a=1&amp;b=2" length="1000" type="audio/mpeg"/>
      </item>`),
    expected: parsedFeed({
      title: 'The Show',
      author: 'Jane Doe',
      description: 'About things.',
      website: 'https://show.test/',
      logoUrl: 'https://show.test/large.jpg',
      language: 'en-us',
      tags: ['Society & Culture', 'Documentary', 'News'],
      episodes: [
        {
          guid: 'show-1',
          url: 'https://media.test/1.mp3?a=1&b=2',
          title: 'One',
          description: 'First.\n\nSecond line,\nthird.',
          website: 'https://show.test/1',
          releasedAt: RELEASED,
          duration: 3723,
        },
      ],
    }),
  },
  {
    oddity: 'RSS 1.0: items after the channel, everything in namespaces',
    contentType: 'application/rdf+xml',
    body: `<?xml version="1.0"?>
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:enc="http://purl.oclc.org/net/rss_2.0/enc#">
      <channel rdf:about="http://rdf.test/">
        <title>RDF</title><link>http://rdf.test/</link><description>Old school</description>
        <dc:creator>Old Timer</dc:creator><dc:language>de</dc:language>
        <image rdf:resource="http://rdf.test/logo.gif"/>
        <items><rdf:Seq><rdf:li rdf:resource="http://rdf.test/1"/></rdf:Seq></items>
      </channel>
      <image rdf:about="http://rdf.test/logo.gif"><title>Logo</title><url>http://rdf.test/logo.gif</url></image>
      <item rdf:about="http://rdf.test/1">
        <title>Eins</title><link>http://rdf.test/1</link><description>Text</description>
        <dc:date>2024-01-31T10:00+01:00</dc:date><dc:identifier>rdf-1</dc:identifier>
        <enc:enclosure rdf:resource="http://media.test/1.ogg" enc:type="audio/ogg" enc:length="1"/>
      </item>
      <textinput rdf:about="http://rdf.test/search"><title>Search</title><link>http://no.test/</link></textinput>
      </rdf:RDF>`,
    expected: parsedFeed({
      title: 'RDF',
      author: 'Old Timer',
      description: 'Old school',
      website: 'http://rdf.test/',
      logoUrl: 'http://rdf.test/logo.gif',
      language: 'de',
      episodes: [
        {
          guid: 'rdf-1',
          url: 'http://media.test/1.ogg',
          title: 'Eins',
          description: 'Text',
          website: 'http://rdf.test/1',
          releasedAt: RELEASED,
        },
      ],
    }),
  },
  {
    oddity: 'Atom: links with rel, categories with term, unescaped XHTML',
    contentType: 'application/atom+xml',
    body: `<?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr" xml:base="https://atom.test/podcast/">
        <title type="html">Les &lt;em&gt;Atomes&lt;/em&gt;</title>
        <subtitle>Sous-titre</subtitle>
        <link rel="self" href="https://atom.test/feed"/>
        <link rel="alternate" type="application/json" href="https://atom.test/json"/>
        <link rel="alternate" type="text/html" href="home"/>
        <author><name>Marie</name><email>marie@atom.test</email></author>
        <logo>logo.png</logo><icon>icon.png</icon>
        <category term="sci" label="Science"/><category term="physics"/>
        <id>urn:feed</id><updated>2024-02-01T00:00:00Z</updated>
        <entry xml:base="https://media.test/">
          <title>Un</title><id>urn:1</id>
          <link href="https://atom.test/1"/>
          <link rel="enclosure" type="audio/mpeg" href="1.mp3"/>
          <published>2024-01-31T09:00:00.5Z</published><updated>2024-02-01T00:00:00Z</updated>
          <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Un <b>deux</b></p><ul><li>trois</li></ul></div></content>
        </entry>
        <entry><title>Sans média</title><id>urn:2</id><link href="https://atom.test/2"/></entry>
      </feed>`,
    expected: parsedFeed({
      title: 'Les Atomes',
      author: 'Marie',
      description: 'Sous-titre',
      website: 'https://atom.test/podcast/home',
      logoUrl: 'https://atom.test/podcast/logo.png',
      language: 'fr',
      tags: ['Science', 'physics'],
      episodes: [
        {
          guid: 'urn:1',
          url: 'https://media.test/1.mp3',
          title: 'Un',
          description: 'Un deux\n\ntrois',
          website: 'https://atom.test/1',
          releasedAt: RELEASED,
        },
      ],
    }),
  },
  {
    oddity: 'Atom with a prefix on every element',
    body: `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>Prefixed</a:title><a:author><a:name>Ann</a:name></a:author>
      <a:entry><a:title>One</a:title><a:link rel="enclosure" href="http://media.test/1.mp3"/></a:entry></a:feed>`,
    expected: parsedFeed({
      title: 'Prefixed',
      author: 'Ann',
      episodes: [episodeInfo({ url: 'http://media.test/1.mp3', title: 'One' })],
    }),
  },
  {
    oddity: 'the tags of iTunes and Atom with unusual prefixes',
    body: `<rss xmlns:i="HTTP://www.itunes.com/DTDs/Podcast-1.0.dtd" xmlns:a10="http://www.w3.org/2005/Atom"><channel>
      <title>Other prefixes</title><i:author>Ivy</i:author><i:image href="http://show.test/i.png"/>
      <i:category text="Arts"/><a10:link href="http://show.test/"/>
      ${item('http://media.test/1.mp3', '<a10:updated>2024-01-31T09:00:00Z</a10:updated><i:summary>Sum</i:summary>')}
      </channel></rss>`,
    expected: parsedFeed({
      title: 'Other prefixes',
      author: 'Ivy',
      website: 'http://show.test/',
      logoUrl: 'http://show.test/i.png',
      tags: ['Arts'],
      episodes: [episodeInfo({ url: 'http://media.test/1.mp3', description: 'Sum', releasedAt: RELEASED })],
    }),
  },
  {
    oddity: 'Podcasting 2.0: its images only, people, a live item, an alternate enclosure',
    body: rss(`<title>Two Oh</title>
      <podcast:person role="host" href="http://no.test/" img="http://no.test/p.jpg">Host</podcast:person>
      <podcast:images srcset="https://show.test/1500.jpg 1500w,\n https://show.test/300.jpg 300w"/>
      <podcast:liveItem status="live"><title>Live</title><enclosure url="http://media.test/live" type="audio/mpeg"/></podcast:liveItem>
      <item><title>One</title><guid isPermaLink="false">ca5e</guid>
        <podcast:alternateEnclosure type="audio/opus"><podcast:source uri="http://media.test/1.opus"/></podcast:alternateEnclosure>
        <enclosure url="http://media.test/1.mp3" type="audio/mpeg"/>
        <podcast:transcript url="http://media.test/1.vtt" type="text/vtt"/>
      </item>`),
    expected: parsedFeed({
      title: 'Two Oh',
      logoUrl: 'https://show.test/1500.jpg',
      episodes: [episodeInfo({ guid: 'ca5e', url: 'http://media.test/1.mp3', title: 'One' })],
    }),
  },
  {
    oddity: 'Media RSS instead of enclosures',
    body: rss(`<title>Media</title>
      <item><media:title>Grouped</media:title><media:description>Told</media:description><media:group>
        <media:content url="http://media.test/1.jpg" medium="image"/><media:content url="http://media.test/1.mp4" medium="video"/>
      </media:group></item>`),
    expected: parsedFeed({
      title: 'Media',
      episodes: [episodeInfo({ url: 'http://media.test/1.mp4', title: 'Grouped', description: 'Told' })],
    }),
  },
  {
    oddity: 'Media RSS with a default, a duration, and an empty enclosure',
    body: rss(`<title>Media</title>
      <item><enclosure url="" type="audio/mpeg"/><media:group>
        <media:content url="http://media.test/low.mp3" type="audio/mpeg"/>
        <media:content url="http://media.test/high.mp3" type="audio/mpeg" isDefault="true" duration="61"/>
      </media:group></item>
      <item><enclosure url="http://media.test/2.mp3" type="audio/mpeg"/><itunes:duration>62</itunes:duration>
        <media:content url="http://media.test/2.mp4" type="video/mp4" isDefault="true" duration="63"/></item>
      <item><enclosure url="http://media.test/3.mp3" type="audio/mpeg"/>
        <media:content url="http://media.test/3.mp4" type="video/mp4" duration="64"/></item>`),
    expected: parsedFeed({
      title: 'Media',
      episodes: [
        episodeInfo({ url: 'http://media.test/high.mp3', duration: 61 }),
        episodeInfo({ url: 'http://media.test/2.mp3', duration: 62 }),
        episodeInfo({ url: 'http://media.test/3.mp3' }),
      ],
    }),
  },
  {
    oddity: 'RSS 1.0 with the elements of Dublin Core only',
    body: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:enc="http://purl.oclc.org/net/rss_2.0/enc#">
      <channel><dc:title>RDF</dc:title><dc:description>Old school</dc:description></channel>
      <item><dc:title>Eins</dc:title><dc:description>Text</dc:description>
        <enc:enclosure rdf:resource="http://media.test/1.ogg"/></item></rdf:RDF>`,
    expected: parsedFeed({
      title: 'RDF',
      description: 'Old school',
      episodes: [episodeInfo({ url: 'http://media.test/1.ogg', title: 'Eins', description: 'Text' })],
    }),
  },
  {
    oddity: 'RSS 0.91 with a DOCTYPE, an RSS image, keywords for categories',
    body: `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
      <rss version="0.91"><channel><image><title>I</title><url> http://show.test/logo.png </url><link>http://image.test/</link></image>
      <title>Old</title><managingEditor>ed@show.test (Ed)</managingEditor><itunes:keywords>one, Two ,,one</itunes:keywords>
      ${item('http://media.test/1.mp3')}</channel></rss>`,
    expected: parsedFeed({
      title: 'Old',
      author: 'Ed',
      logoUrl: 'http://show.test/logo.png',
      tags: ['one', 'Two'],
      episodes: [episodeInfo({ url: 'http://media.test/1.mp3' })],
    }),
  },
  {
    oddity: 'an RSS author and an owner',
    body: rss(`<title>T</title><author>jo@show.test (Jo)</author>
      <itunes:owner><itunes:name>Station</itunes:name><itunes:email>mail@show.test</itunes:email></itunes:owner>`),
    expected: parsedFeed({ title: 'T', author: 'Jo' }),
  },
  {
    oddity: 'a GUID, a new URL, and itunes:block',
    body: rss(`<title>T</title><podcast:guid> 917393e3-1b1e-5cef-ace4-edaa54e1f810 </podcast:guid><itunes:block>YES</itunes:block>
      <itunes:new-feed-url>HTTPS://Feeds.test/new?a=1&amp;b=2</itunes:new-feed-url>`),
    expected: parsedFeed({
      title: 'T',
      blocked: true,
      guid: '917393e3-1b1e-5cef-ace4-edaa54e1f810',
      movedTo: 'https://feeds.test/new?a=1&b=2',
    }),
  },
  {
    oddity: 'a GUID that is too long, an invalid new URL, and itunes:block set to no',
    body: rss(`<title>T</title><podcast:guid>${'a'.repeat(256)}</podcast:guid><itunes:block>no</itunes:block>
      <itunes:new-feed-url>mailto:me@show.test</itunes:new-feed-url>${item('http://media.test/1', '<itunes:block>yes</itunes:block>')}`),
    expected: parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/1' })] }),
  },
  {
    oddity: 'an empty GUID and an empty new URL',
    body: rss(`<title>T</title><podcast:guid/><itunes:block/><itunes:new-feed-url> </itunes:new-feed-url>`),
    expected: parsedFeed({ title: 'T' }),
  },
];
