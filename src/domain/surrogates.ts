/** References to the two halves of one character in UTF-16. */
const PAIR = /&#(x0*d[89ab][\da-f]{2}|0*5[56]\d{3});&#(x0*d[c-f][\da-f]{2}|0*5[67]\d{3});/gi;

/** Decodes emoji that are written as `&#55357;&#56832;`. XML has no such references, but some programs write them. */
export const decodeSurrogates = (xml: string): string =>
  xml.replace(PAIR, (written, high: string, low: string) => {
    const character = String.fromCharCode(codeOf(high), codeOf(low));
    return character.isWellFormed() ? character : written;
  });

const codeOf = (reference: string): number => Number(reference.replace(/^x/i, '0x'));
