import { escapeXml, XML_DECLARATION } from './xml-text.ts';

/**
 * `<podcasts><podcast>` with one child element per field, null as an empty one (toplist only). Values may hold
 * anything, the names of the fields come from our own code and must be XML names.
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
