export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Line breaks and tabs are written as references, because parsers replace bare ones in attributes with spaces. */
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

/** Escapes text for an XML element or attribute. Characters that XML 1.0 cannot represent become U+FFFD. */
export const escapeXml = (text: string): string =>
  text.toWellFormed().replace(UNSAFE, (character) => REFERENCES[character] ?? '\ufffd');

/**
 * `<podcasts><podcast>` with one child element per field, empty for null (only for the toplist). Values may contain any
 * text; the names of the fields must be valid XML names.
 */
export function writeXml(podcasts: readonly Record<string, string | number | null>[]): string {
  const elements = podcasts.map((podcast) => {
    const fields = Object.entries(podcast).map(
      ([name, value]) => `    <${name}>${escapeXml(`${value ?? ''}`)}</${name}>\n`,
    );
    return `  <podcast>\n${fields.join('')}  </podcast>\n`;
  });
  return `${XML_DECLARATION}<podcasts>\n${elements.join('')}</podcasts>\n`;
}
