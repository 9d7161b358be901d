import { XMLParser } from 'fast-xml-parser';
import { decodeReferences } from './text.ts';

/** One element. What is inside stays as it is written, so that damage in one element spoils nothing around it. */
export interface XmlElement {
  /** Lower case, with the prefix that podsync uses for its namespace, whichever one the document declares. */
  name: string;
  /** By name in lower case; references decoded. */
  attributes: Readonly<Record<string, string | undefined>>;
  content: string;
  /** The elements in `content`; none where it is damaged. */
  children(): XmlElement[];
}

/** Elements of a document, one level at a time. Throws where an element of that level is not closed. */
export type XmlReader = (xml: string) => XmlElement[];

/** The most elements of one level; the rest is left out. No real feed comes near. */
const MAX_ELEMENTS = 100_000;

const TEXT = '#text';
const ATTRIBUTES = ':@';
type Node = Record<string, { [TEXT]: string }[]> & { [ATTRIBUTES]?: Record<string, string> };

/** `prefixes`: of the document, and what podsync calls them (`namespaces.ts`). */
export function createXmlReader(prefixes: ReadonlyMap<string, string>): XmlReader {
  let elements = 0;
  const parser = new XMLParser({
    preserveOrder: true,
    // The content of every element is skipped, not parsed, and no markup in it counts.
    stopNodes: ['*'],
    transformTagName: (name) => rename(name.toLowerCase(), prefixes),
    ignoreAttributes: false,
    attributeNamePrefix: '',
    transformAttributeName: (name) => name.toLowerCase(),
    attributeValueProcessor: (_, value) => decodeReferences(value),
    parseTagValue: false,
    trimValues: false,
    // A DOCTYPE may declare what it likes, nothing of it is ever expanded.
    processEntities: false,
    ignorePiTags: true,
    jPath: false,
    updateTag: () => ++elements <= MAX_ELEMENTS,
  });

  const read: XmlReader = (xml) => {
    elements = 0;
    return (parser.parse(xml) as Node[]).flatMap(toElement);
  };
  const readQuietly = quietly(read);
  const toElement = (node: Node): XmlElement[] => {
    const name = Object.keys(node)[0];
    if (name === undefined || name === TEXT) return [];
    const content = node[name]?.[0]?.[TEXT] ?? '';
    return [{ name, attributes: node[ATTRIBUTES] ?? {}, content, children: () => readQuietly(content) }];
  };
  return read;
}

/** The same, but answers nothing for what is damaged. */
export const quietly =
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
