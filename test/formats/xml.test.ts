import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { writeXml } from '../../src/formats/xml.ts';

it('writes one element for each field', () => {
  expect(writeXml([{ title: 'Tom & Jerry', subscribers: 3, logo_url: null }])).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<podcasts>
  <podcast>
    <title>Tom &amp; Jerry</title>
    <subscribers>3</subscribers>
    <logo_url></logo_url>
  </podcast>
</podcasts>
`,
  );
});

it('writes an empty list as valid XML', () => {
  expect(XMLValidator.validate(writeXml([]))).toBe(true);
});

it('escapes any text', () => {
  const title = '</title><script>"\'&amp;]]>\n\u0000\ud800😀';
  const xml = writeXml([{ title, subscribers: 0 }]);
  const parsed = new XMLParser({ htmlEntities: true, trimValues: false }).parse(xml);
  expect(parsed.podcasts.podcast.title).toBe('</title><script>"\'&amp;]]>\n\ufffd\ufffd😀');
});
