import { XMLParser } from 'fast-xml-parser';
import { decodeReferences } from './text.ts';

/** One element. Its content is not parsed, so that damage in it does not affect other elements. */
export interface XmlElement {
  /** In lower case, with podsync's own prefix for its namespace, whichever prefix the document declares. */
  name: string;
  /** By name in lower case; references decoded. */
  attributes: Readonly<Record<string, string | undefined>>;
  content: string;
  /** The elements in `content`; none if it is damaged. */
  children(): XmlElement[];
}

/** Reads the elements of one level. Throws if an element of that level is not closed. */
export type XmlReader = (xml: string) => XmlElement[];

/** Maximum number of elements in one level; the rest is ignored. No real feed has nearly as many. */
const MAX_ELEMENTS = 100_000;

const TEXT = '#text';
const ATTRIBUTES = ':@';
type Node = Record<string, { [TEXT]: string }[]> & { [ATTRIBUTES]?: Record<string, string> };

/** `prefixes` maps those of the document to podsync's own (`namespaces.ts`). */
export function createXmlReader(prefixes: ReadonlyMap<string, string>): XmlReader {
  let elements = 0;
  const parser = new XMLParser({
    preserveOrder: true,
    // The content of every element is skipped, not parsed, and its markup is ignored.
    stopNodes: ['*'],
    transformTagName: (name) => rename(name.toLowerCase(), prefixes),
    ignoreAttributes: false,
    attributeNamePrefix: '',
    transformAttributeName: (name) => name.toLowerCase(),
    attributeValueProcessor: (_, value) => decodeReferences(value),
    parseTagValue: false,
    trimValues: false,
    // Entities of a DOCTYPE are never expanded.
    processEntities: false,
    ignorePiTags: true,
    jPath: false,
    updateTag: () => ++elements <= MAX_ELEMENTS,
  });

  const read: XmlReader = (xml) => {
    elements = 0;
    return (parser.parse(xml) as Node[]).flatMap(toElement);
  };
  const readSafely = ignoringErrors(read);
  const toElement = (node: Node): XmlElement[] => {
    const name = Object.keys(node)[0];
    if (name === undefined || name === TEXT) return [];
    const content = node[name]?.[0]?.[TEXT] ?? '';
    return [{ name, attributes: node[ATTRIBUTES] ?? {}, content, children: () => readSafely(content) }];
  };
  return read;
}

/** The same reader, but it returns no elements if the text is damaged. */
export const ignoringErrors =
  (read: XmlReader): XmlReader =>
  (xml) => {
    try {
      return read(xml);
    } catch {
      return [];
    }
  };

function rename(name: string, prefixes: ReadonlyMap<string, string>): string {
  const colon = name.indexOf(':');
  if (colon === -1) return name;
  const prefix = prefixes.get(name.slice(0, colon));
  if (prefix === undefined) return name;
  const local = name.slice(colon + 1);
  return prefix === '' ? local : `${prefix}:${local}`;
}
