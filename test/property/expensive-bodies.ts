const MEGABYTE = 1024 * 1024;

const fill = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);

/** As many numbered parts as fit into a megabyte, with a character between them and a few around. */
function number(part: (index: number) => string): string[] {
  const parts: string[] = [];
  for (let length = 99; length < MEGABYTE; length += parts.at(-1)!.length + 1) parts.push(part(parts.length));
  return parts.slice(0, -1);
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
  'nested brackets': fill('[', MEGABYTE / 2) + fill(']', MEGABYTE / 2),
  'empty arrays': `[${fill('[],', MEGABYTE - 4)}[]]`,
  numbers: `[${fill('1,', MEGABYTE - 4)}1]`,
  'one number': fill('9', MEGABYTE),
  'one string': `["http://a.b/${fill('\\u0000', MEGABYTE - 99)}"]`,
  keys: `{${number((index) => `"k${index}":0`).join(',')}}`,
  feeds: `[${number((index) => `"${url(index)}"`).join(',')}]`,
  'a delta': `{"add":[${number((index) => `"${url(index)}"`).join(',')}]}`,
  'one feed often': `{"add":[${fill('"http://a.b/",', MEGABYTE - 99)}""]}`,
  actions: `[${number(action).join(',')}]`,
  settings: `{"set":{${number((index) => `"k${index}":[]`).join(',')}},"remove":[]}`,
  'one setting': `{"set":{"k":${fill('[', MEGABYTE / 3)}${fill(']', MEGABYTE / 3)}},"remove":[]}`,
  groups: `{"synchronize":[[${number((index) => `"d${index}"`).join(',')}]]}`,
};
const TXT_BODIES: Record<string, string> = {
  feeds: number(url).join('\n'),
  'blank lines': fill(' \n', MEGABYTE),
  'one line': fill(' ', MEGABYTE),
  hosts: number((index) => `http://ü${index}`).join('\n'),
  ports: number(() => `http://${fill(':1', 8000)}`).join('\n'),
};
const OPML_BODIES: Record<string, string> = {
  feeds: opml(number((index) => `<outline xmlUrl="${url(index)}"/>`).join('')),
  attributes: opml(outline(number(attribute))),
  'attributes of many': opml(
    number(() => outline(Array.from({ length: 900 }, (_, index) => attribute(index)))).join(''),
  ),
  'nested elements': opml(fill('<a>', MEGABYTE)),
  entities: opml(`<outline xmlUrl="${fill('&amp;', MEGABYTE - 99)}"/>`),
  comments: opml(fill('<!---->', MEGABYTE)),
  'an open tag': `<opml ${fill('<', MEGABYTE)}`,
};

/** Bodies of one megabyte that take as much work as possible; for a path without a format, all of them. */
export const expensiveBodies = (format: string): [name: string, body: string][] =>
  Object.entries(
    { json: JSON_BODIES, txt: TXT_BODIES, opml: OPML_BODIES }[format] ?? {
      ...JSON_BODIES,
      ...TXT_BODIES,
      ...OPML_BODIES,
    },
  );
