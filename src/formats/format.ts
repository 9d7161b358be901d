/** Formats of podcast lists, as in the extension of a path (spec 2.1). `jsonp` is only written. */
export type ListFormat = 'json' | 'jsonp' | 'txt' | 'opml';

/** Only the toplist is also available as `xml`. */
export const MEDIA_TYPES: Readonly<Record<ListFormat | 'xml', string>> = {
  json: 'application/json',
  jsonp: 'application/javascript',
  txt: 'text/plain; charset=utf-8',
  opml: 'text/x-opml+xml; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
};
