export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Line breaks and tabs are written as references, because a parser turns bare ones in attributes into blanks. */
const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSAFE = /[&<>"'\u0000-\u001f\ufffe\uffff]/g;

/** Text for an XML element or attribute. What XML 1.0 cannot say at all, not even as a reference, becomes U+FFFD. */
export const escapeXml = (text: string): string =>
  text.toWellFormed().replace(UNSAFE, (character) => REFERENCES[character] ?? '\ufffd');
