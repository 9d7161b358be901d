/** Formats of podcast lists, as paths end in them (spec 2.1). `jsonp` is only ever written. */
export type ListFormat = 'json' | 'jsonp' | 'txt' | 'opml';

/** The toplist alone also comes as `xml`. */
export const MEDIA_TYPES: Readonly<Record<ListFormat | 'xml', string>> = {
  json: 'application/json',
  jsonp: 'application/javascript',
  txt: 'text/plain; charset=utf-8',
  opml: 'text/x-opml+xml; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
};
