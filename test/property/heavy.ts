const MEGABYTE = 1024 * 1024;

const fill = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** As many numbered pieces as fit, with a character between them and a few around. */
function count(piece: (index: number) => string): string[] {
  const pieces: string[] = [];
  for (let length = 99; length < MEGABYTE; length += pieces.at(-1)!.length + 1) pieces.push(piece(pieces.length));
  return pieces.slice(0, -1);
}

const url = (index: number): string => `http://a.b/${index}`;
const action = (index: number): string =>
  `{"podcast":"${url(index)}","episode":"${url(index)}","action":"play","device":"d${index % 9}","position":${index}}`;
const attribute = (index: number): string => `a${index}=""`;
const outline = (attributes: string[]): string => `<outline ${attributes.join(' ')}/>`;
const opml = (body: string): string => `<opml><body>${body}</body></opml>`;

const JSON_BODIES: Record<string, string> = {
  'open brackets': fill('[', MEGABYTE),
  'open objects': fill('{"a":', MEGABYTE),
  'brackets in each other': fill('[', MEGABYTE / 2) + fill(']', MEGABYTE / 2),
  'empty arrays': `[${fill('[],', MEGABYTE - 4)}[]]`,
  numbers: `[${fill('1,', MEGABYTE - 4)}1]`,
  'one number': fill('9', MEGABYTE),
  'one string': `["http://a.b/${fill('\\u0000', MEGABYTE - 99)}"]`,
  keys: `{${count((index) => `"k${index}":0`).join(',')}}`,
  feeds: `[${count((index) => `"${url(index)}"`).join(',')}]`,
  'a delta': `{"add":[${count((index) => `"${url(index)}"`).join(',')}]}`,
  'one feed often': `{"add":[${fill('"http://a.b/",', MEGABYTE - 99)}""]}`,
  actions: `[${count(action).join(',')}]`,
  settings: `{"set":{${count((index) => `"k${index}":[]`).join(',')}},"remove":[]}`,
  'one setting': `{"set":{"k":${fill('[', MEGABYTE / 3)}${fill(']', MEGABYTE / 3)}},"remove":[]}`,
  groups: `{"synchronize":[[${count((index) => `"d${index}"`).join(',')}]]}`,
};
const TXT_BODIES: Record<string, string> = {
  feeds: count(url).join('\n'),
  'blank lines': fill(' \n', MEGABYTE),
  'one line': fill(' ', MEGABYTE),
  hosts: count((index) => `http://ü${index}`).join('\n'),
  ports: count(() => `http://${fill(':1', 8000)}`).join('\n'),
};
const OPML_BODIES: Record<string, string> = {
  feeds: opml(count((index) => `<outline xmlUrl="${url(index)}"/>`).join('')),
  attributes: opml(outline(count(attribute))),
  'attributes of many': opml(
    count(() => outline(Array.from({ length: 900 }, (_, index) => attribute(index)))).join(''),
  ),
  'elements in each other': opml(fill('<a>', MEGABYTE)),
  entities: opml(`<outline xmlUrl="${fill('&amp;', MEGABYTE - 99)}"/>`),
  comments: opml(fill('<!---->', MEGABYTE)),
  'an open tag': `<opml ${fill('<', MEGABYTE)}`,
};

/** Bodies of one megabyte that take as much work as can be; all of them, where a path comes in no format. */
export const heavyBodies = (format: string): [name: string, body: string][] =>
  Object.entries(
    { json: JSON_BODIES, txt: TXT_BODIES, opml: OPML_BODIES }[format] ?? {
      ...JSON_BODIES,
      ...TXT_BODIES,
      ...OPML_BODIES,
    },
  );
