import { isAscii, isUtf8 } from 'node:buffer';
import { invalid } from '../domain/errors.ts';
import { isTooDeep } from '../domain/json.ts';

/** A body as text, without a byte order mark. Throws `invalid` if it is not UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return buffer.toString('latin1'); // most bodies, three times as fast
  if (!isUtf8(buffer)) throw invalid('the request body is not UTF-8');
  const text = buffer.toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** A body as JSON; undefined if it is empty. Throws `invalid`. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeBody(bytes);
  if (text.trim() === '') return undefined;
  if (isTooDeep(text)) throw invalid('the request body is nested too deeply');
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('the request body is not JSON');
  }
}
