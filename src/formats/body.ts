import { isAscii, isUtf8 } from 'node:buffer';
import { invalid, Refusal } from '../domain/errors.ts';
import { findExcess, MAX_CONTAINERS } from '../domain/json.ts';

/** A body as text, without a byte order mark. Throws `invalid` if it is not UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return buffer.toString('latin1'); // most bodies, three times as fast
  if (!isUtf8(buffer)) throw invalid('the request body is not UTF-8');
  const text = buffer.toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/**
 * A body as JSON; undefined if it is empty. Throws `invalid`, and `too-large` for more than `most` arrays and objects.
 */
export function parseJson(bytes: Uint8Array, most = MAX_CONTAINERS): unknown {
  const text = decodeBody(bytes);
  if (text.trim() === '') return undefined;
  const excess = findExcess(text, most);
  if (excess === 'levels') throw invalid('the request body is nested too deeply');
  if (excess === 'containers') {
    throw new Refusal('too-large', `the request body may have up to ${most} arrays and objects; send less at once`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('the request body is not JSON');
  }
}
