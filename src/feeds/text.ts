import { ALL_ENTITIES, EntityDecoder } from '@nodable/entities';
import { readC1 } from './charset.ts';

/** Characters of markup that are looked at for one text; far more than any text that is kept. */
const MAX_MARKUP = 200_000;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff\ufffe\uffff]/g;

const entities = new EntityDecoder({ namedEntities: ALL_ENTITIES });

/** Named (HTML) and numeric character references decoded once. Anything else stays, such as a bare `&`. */
export const decodeReferences = (text: string): string => readC1(text.includes('&') ? entities.decode(text) : text);

/** Content of an XML element as its text: references decoded once, CDATA as it is, inner markup left. */
export const textOf = (content: string): string =>
  content
    .split(/<!\[CDATA\[([\s\S]*?)\]\]>/)
    .map((part, index) => (index % 2 === 0 ? decodeReferences(part) : part))
    .join('')
    .replace(CONTROLS, '')
    .trim();

/**
 * Content of an XML element as plain text of at most `max` characters: it is taken for HTML, whatever it says it is.
 * Paragraphs and line breaks stay, other white space collapses.
 */
export function plainText(content: string, max: number): string {
  const { text, isMarkup } = strip(textOf(content.slice(0, MAX_MARKUP)));
  // Escaped once too often: there was no markup in it, and now it reads like HTML.
  const plain = !isMarkup && /<\/[a-z]|<br/i.test(text) ? strip(text).text : text;
  return plain
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

/** As `plainText`, in one line. */
export const plainLine = (content: string, max: number): string => plainText(content, max).replace(/\s+/g, ' ');

/** Stands for a line break while the white space of the source, which means nothing in HTML, is collapsed. */
const BREAK = '\u0000';
// oxlint-disable-next-line no-control-regex -- see BREAK
const BREAKS = /\u0000/g;

const words = (text: string): string[] => text.split(' ');
const PARAGRAPHS = words(
  'address article aside blockquote center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul',
);
const LINES = words('br li tr');
const SPACED = words('td th img option');
/** What an element stands for besides its text. */
const GAPS = new Map([
  ...PARAGRAPHS.map((name) => [name, BREAK + BREAK] as const),
  ...LINES.map((name) => [name, BREAK] as const),
  ...SPACED.map((name) => [name, ' '] as const),
]);
/** Elements whose content nobody reads. */
const HIDDEN = new Set(words('script style head svg iframe object template noscript'));
/** `<` and one of these is markup; anything else, such as `<3` or `<unknown>`, is text. */
const KNOWN = new Set([
  ...GAPS.keys(),
  ...HIDDEN,
  ...words(
    'a abbr acronym audio b big body button caption cite code col colgroup data del details dfn em embed font html i input ins kbd label legend link map mark meta param picture q rp rt ruby s samp select small source span strike strong sub summary sup tbody textarea tfoot thead time title tt u var video wbr',
  ),
]);

/** A tag never holds another `<`: so each character is looked at once. */
const TOKEN = /<!--|-->|<!\[CDATA\[|\]\]>|<\/?([a-z][\w:.-]*)(?:[\s/][^<>]*)?>/gi;

function strip(html: string): { text: string; isMarkup: boolean } {
  let out = '';
  let from = 0;
  let isMarkup = false;
  let hiddenUntil: string | undefined;
  for (const { 0: token, 1: written = '', index } of html.matchAll(TOKEN)) {
    const name = written.toLowerCase();
    const isClosing = token[1] === '/';
    if (hiddenUntil !== undefined) {
      if (!token.toLowerCase().startsWith(hiddenUntil)) continue;
      hiddenUntil = undefined;
    } else {
      if (name !== '' && !KNOWN.has(name) && !/[:-]/.test(name)) continue;
      out += html.slice(from, index) + (isClosing && LINES.includes(name) ? '' : (GAPS.get(name) ?? ''));
      if (token === '<!--') hiddenUntil = '-->';
      else if (HIDDEN.has(name) && !isClosing && !token.endsWith('/>')) hiddenUntil = `</${name}`;
      isMarkup = true;
    }
    from = index + token.length;
  }
  if (hiddenUntil === undefined) out += html.slice(from);
  const lines = out.includes(BREAK) ? out.replace(/\s+/g, ' ').replace(BREAKS, '\n') : out;
  return { text: tidy(decodeReferences(lines)), isMarkup };
}

const tidy = (text: string): string =>
  text
    .replace(CONTROLS, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .toWellFormed();
