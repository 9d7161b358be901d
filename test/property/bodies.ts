import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type BodyText, bodyTextFor } from './body-texts.ts';

/** How a request body is made. When a test fails this is easier to read than its bytes. */
export interface Body extends BodyText {
  bytes: (typeof BYTES)[number];
  encoding: (typeof ENCODINGS)[number];
}

const BYTES = ['unchanged', 'with a byte order mark', 'truncated', 'not UTF-8'] as const;
const ENCODINGS = [
  'none',
  'gzip',
  'gzip without header',
  'gzip header only',
  'damaged gzip',
  'gzip bomb',
  'invalid header',
] as const;

const mostlyFirst = <T>([usual, ...others]: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual!) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

/** Bodies for a path of the route table that ends in `.format`. */
export const bodyFor = (path: string): fc.Arbitrary<Body> =>
  fc
    .tuple(bodyTextFor(path), mostlyFirst(BYTES), mostlyFirst(ENCODINGS))
    .map(([text, bytes, encoding]) => ({ ...text, bytes, encoding }));

/** Some kilobytes on the wire, 12 megabytes decompressed. */
const BOMB = gzipSync(Buffer.alloc(12 * 1024 * 1024));

/** The body as sent, and its headers. */
export function toWire({ text, type, bytes, encoding }: Body): { sent: Buffer; headers: Record<string, string> } {
  const { sent, header } = encode(toBytes(text, bytes), encoding);
  return {
    sent,
    headers: { ...(type && { 'content-type': type }), ...(header && { 'content-encoding': header }) },
  };
}

function toBytes(text: string, state: Body['bytes']): Buffer {
  const bytes = Buffer.from(text);
  switch (state) {
    case 'unchanged':
      return bytes;
    case 'with a byte order mark':
      return Buffer.from(`\u{feff}${text}`);
    case 'truncated':
      return bytes.subarray(0, bytes.length / 2);
    case 'not UTF-8':
      return Buffer.concat([bytes, Buffer.from([0xc3, 0x28, 0xff])]);
  }
}

function encode(bytes: Buffer, encoding: Body['encoding']): { sent: Buffer; header?: string } {
  switch (encoding) {
    case 'none':
      return { sent: bytes };
    case 'gzip':
      return { sent: gzipSync(bytes), header: 'gzip' };
    case 'gzip without header':
      return { sent: gzipSync(bytes) };
    case 'gzip header only':
      return { sent: bytes, header: 'gzip' };
    case 'damaged gzip':
      return { sent: gzipSync(bytes).subarray(0, -5), header: 'x-gzip' };
    case 'gzip bomb':
      return { sent: BOMB, header: 'gzip' };
    case 'invalid header':
      return { sent: bytes, header: 'br, gzip;q=<script>' };
  }
}
