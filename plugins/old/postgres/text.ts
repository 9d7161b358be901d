/** Begins the number of a character: a code point that is kept free for such uses. */
const ESCAPE = '\ufdd0';
/** U+0000, half a character (the other half would be one with it), and what begins a number. */
const ODD = /[\0\ufdd0\ud800-\udfff]/gu;
const ESCAPED = /\ufdd0([0-9a-f]{4})/g;

/**
 * A text as PostgreSQL can hold it. A string of JavaScript may hold half a character, or U+0000, which PostgreSQL has no
 * form for: such a character is stored as its number, so that it comes back as it was.
 */
export const toStored = (text: string): string =>
  text.replace(ODD, (character) => ESCAPE + character.charCodeAt(0).toString(16).padStart(4, '0'));

export const fromStored = (text: string): string =>
  text.includes(ESCAPE)
    ? text.replace(ESCAPED, (_, number: string) => String.fromCharCode(parseInt(number, 16)))
    : text;
