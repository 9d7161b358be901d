import { isUtf8 } from 'node:buffer';

/** Number of bytes at the start of a document in which to search for the XML declaration. */
const HEAD = 1024;

/** 0x80 to 0x9f in windows-1252; unused codes are the replacement character. */
const WINDOWS_1252 = '€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ';
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const C1 = /[\u0080-\u009f]/g;

/**
 * Replaces C1 control characters with those of windows-1252, which their writers meant. Node's own decoder for
 * windows-1252 does not do that.
 */
export const replaceC1 = (text: string): string => text.replace(C1, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80]!);

/**
 * Decodes an XML document in any encoding. A byte order mark takes precedence. Otherwise what is valid UTF-8, or nearly so,
 * is read as UTF-8, whatever encoding it declares; then the XML declaration and the Content-Type are tried. Never throws:
 * anything else is read as UTF-8 with replacement characters, or as windows-1252 if it has more invalid than valid
 * characters.
 */
export function decodeXml(bytes: Uint8Array, contentType = ''): string {
  const detected = detectUnicode(bytes);
  if (detected !== undefined) return new TextDecoder(detected).decode(bytes);
  const declared = declaredIn(bytes);
  const served = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];
  // ISO-2022 uses only ASCII bytes, which are always valid UTF-8.
  const isIso2022 = declared?.startsWith('iso-2022') ?? false;
  const text = new TextDecoder().decode(bytes);
  const { wrong, right } = isUtf8(bytes) ? { wrong: 0, right: 0 } : countNonAscii(text);
  // Programs cut texts within a character; other encodings are hardly ever valid UTF-8.
  if (!isIso2022 && right >= 10 * wrong) return text;
  for (const label of [declared, served]) {
    const decoded = label === undefined ? undefined : decodeStrictly(bytes, label);
    if (decoded !== undefined) return decoded;
  }
  return wrong > right ? replaceC1(Buffer.from(bytes).toString('latin1')) : text;
}

/** Encoding according to the byte order mark, or to the first `<` in UTF-16. */
function detectUnicode([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return undefined;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1');
  return /<\?xml[^>]*?encoding\s*=\s*["']\s*([\w.:-]+)/i.exec(head)?.[1]?.toLowerCase();
}

function decodeStrictly(bytes: Uint8Array, label: string): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    // A declaration that can be read as ASCII is not in UTF-16, whatever it claims.
    if (decoder.encoding.startsWith('utf-16')) return undefined;
    const text = decoder.decode(bytes);
    return decoder.encoding === 'windows-1252' ? replaceC1(text) : text;
  } catch {
    return undefined;
  }
}

/** The numbers of invalid and of other characters outside ASCII. A loop, as there may be millions. */
function countNonAscii(text: string): { wrong: number; right: number } {
  let [wrong, right] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) wrong += 1;
    else if (code > 0x7f) right += 1;
  }
  return { wrong, right };
}
