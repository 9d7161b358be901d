import { decodeHTMLStrict } from 'entities';
import { htmlTagNames } from 'html-tag-names';
import { Parser } from 'htmlparser2';
import { decodeSurrogates } from '../domain/surrogates.ts';
import { replaceC1 } from './charset.ts';

/** Characters of markup to process for one text; far more than the longest stored text. */
const MAX_MARKUP = 100_000;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff\ufffe\uffff]/g;
const REFERENCE = /&(?:#x[\da-f]+|#\d+|[a-z][a-z\d]*);/gi;

/**
 * Decodes named (HTML) and numeric character references once; references to invalid characters are removed. Anything
 * else stays, such as a bare `&`.
 */
export const decodeReferences = (text: string): string =>
  replaceC1(
    text.includes('&')
      ? decodeSurrogates(text).replace(REFERENCE, (written) => decodeHTMLStrict(written).replace('\ufffd', ''))
      : text,
  );

/** The text of an XML element: decodes references once, keeps CDATA and inner markup as they are. */
export function textOf(content: string): string {
  // Only up to the last end: from each start without one, the search would run to the end of the text.
  const end = content.lastIndexOf(']]>') + 3;
  const parts = content.slice(0, end).split(/<!\[CDATA\[([\s\S]*?)\]\]>/);
  parts[parts.length - 1] += content.slice(end);
  return parts
    .map((part, index) => (index % 2 === 0 ? decodeReferences(part) : part))
    .join('')
    .replace(CONTROLS, '')
    .trim();
}

/**
 * Content of an XML element as plain text of at most `max` characters. It is read as HTML, whatever type it declares.
 * Keeps paragraphs and line breaks; other white space collapses.
 */
export function plainText(content: string, max: number): string {
  const { text, isMarkup } = strip(textOf(content.slice(0, MAX_MARKUP)));
  // It was escaped twice if it had no markup, but now looks like HTML.
  return cut(!isMarkup && /<\/[a-z]|<br/i.test(text) ? strip(text).text : text, max);
}

/**
 * Content of an XML element as plain text of at most `max` characters in one line, for a title or a name. Removes only
 * formatting elements with an end tag, as titles may mention elements: `The <b> element`.
 */
export function plainLine(content: string, max: number): string {
  const text = decodeTwice(textOf(content.slice(0, MAX_MARKUP))).replace(CDATA, '');
  const closed = new Set([...text.matchAll(END_TAG)].map(([, name]) => name!.toLowerCase()));
  const plain = text.replace(FORMATTING, (tag, written: string) => {
    const name = written.toLowerCase();
    return closed.has(name) || VOID.has(name) ? (GAPS.get(name) ?? '') : tag;
  });
  return cut(normalizeSpace(plain.replace(BREAKS, ' ').replace(UNUSUAL_SPACE, ' ')), max);
}

const cut = (text: string, max: number): string =>
  text
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();

/** Decodes twice, as texts that were escaped twice are far more common than texts about references. */
function decodeTwice(text: string): string {
  const once = decodeReferences(text);
  return once.includes('&') ? decodeReferences(once) : once;
}

/** Marks a line break while the white space of the source, which has no meaning in HTML, is collapsed. */
const BREAK = '\u0000';
// oxlint-disable-next-line no-control-regex -- see BREAK
const BREAKS = /\u0000/g;
/** White space other than a single space: to replace single spaces by themselves would take most of the time. */
const UNUSUAL_SPACE = /\s{2,}|[^\S ]/g;

const words = (text: string): string[] => text.split(' ');
const PARAGRAPHS = words(
  'address article aside blockquote center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul',
);
const LINES = words('br li tr');
const SPACED = words('td th img option');
/** The white space that an element adds to its text. */
const GAPS = new Map([
  ...PARAGRAPHS.map((name) => [name, BREAK + BREAK] as const),
  ...LINES.map((name) => [name, BREAK] as const),
  ...SPACED.map((name) => [name, ' '] as const),
]);
/** Elements whose content is not text. */
const HIDDEN = words('script style head svg iframe object template noscript');
const VOID = new Set(words('br img wbr'));
const KNOWN = new Set([...htmlTagNames, 'svg']);

const CDATA = /<!\[CDATA\[|\]\]>/g;
const END_TAG = /<\/([a-z][a-z\d]*)\s*>/gi;
const FORMATTING =
  /<\/?(a|abbr|b|big|br|cite|code|del|div|em|font|h[1-6]|i|img(?=\s)|ins|kbd|mark|p|q|s|small|span|strong|sub|sup|tt|u|wbr)(?:[\s/][^<>]*)?>/gi;
/** The start of a comment, used like the name of an element. */
const COMMENT = '!--';
const HIDDEN_END = new RegExp(`-->|</(${HIDDEN.join('|')})`, 'gi');
/** A tag that is truncated at the end of the text. */
const CUT_TAG = /<(?:!-?|\/?[a-z]+(?:\s+[a-z-]+=[^<>]*)?)$/i;
/**
 * Anything that starts with `<`. As a tag never contains another one, and its name never ends early, this takes linear
 * time.
 */
const TOKEN = /<(?:!--|[!?][^<>]*>|\/?([a-z][^\s<>/]*)(?![^\s<>/])[^<>]*>)?/gi;

function strip(html: string): { text: string; isMarkup: boolean } {
  const { markup, isMarkup } = onlyMarkup(html.replace(CDATA, '').replace(CUT_TAG, ''));
  if (!markup.includes('<')) return { text: normalizeSpace(decodeTwice(markup)), isMarkup };
  let out = '';
  let hidden = 0;
  const parser = new Parser(
    {
      onopentagname(name) {
        if (HIDDEN.includes(name)) hidden++;
        else if (hidden === 0) out += GAPS.get(name) ?? '';
      },
      onclosetag(name) {
        if (HIDDEN.includes(name)) hidden--;
        else if (hidden === 0 && !LINES.includes(name)) out += GAPS.get(name) ?? '';
      },
      ontext(text) {
        if (hidden === 0) out += text;
      },
    },
    { decodeEntities: false, recognizeSelfClosing: true },
  );
  parser.end(markup);
  const lines = out.includes(BREAK) ? out.replace(UNUSUAL_SPACE, ' ').replace(BREAKS, '\n') : out;
  return { text: normalizeSpace(decodeTwice(lines)), isMarkup };
}

/**
 * Escapes everything that is not an HTML element, such as `<3` or `<https://example.org>`, and removes the start of a
 * comment or script without an end, as it would hide the rest of the text.
 */
function onlyMarkup(html: string): { markup: string; isMarkup: boolean } {
  const ends = new Map<string, number>();
  for (const { 1: name = COMMENT, index } of html.matchAll(HIDDEN_END)) ends.set(name.toLowerCase(), index);
  const hidesAll = (name: string, at: number): boolean =>
    (name === COMMENT || HIDDEN.includes(name)) && at > (ends.get(name) ?? -1);
  let isMarkup = false;
  const markup = html.replace(TOKEN, (token, written: string | undefined, at: number) => {
    const name = token === '<!--' ? COMMENT : (written?.toLowerCase() ?? '');
    // Names with a prefix or a hyphen are elements of other languages, such as `<o:p>` of word processors.
    const isElement =
      token !== '<' && (name === '' || name === COMMENT || KNOWN.has(name) || /^[a-z]+[:-][a-z-]+$/.test(name));
    if (!isElement) return token.replace('<', '&lt;');
    isMarkup = true;
    return hidesAll(name, at) ? '' : token;
  });
  return { markup, isMarkup };
}

const normalizeSpace = (text: string): string =>
  text
    .replace(CONTROLS, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .toWellFormed();
