import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Written, writtenFor } from './shapes.ts';

/** A request body, as it is put together: easier to read, where a test fails, than the bytes that come of it. */
export interface Body extends Written {
  bytes: (typeof BYTES)[number];
  packed: (typeof PACKED)[number];
}

const BYTES = ['as they are', 'with a byte order mark', 'cut short', 'not UTF-8'] as const;
const PACKED = ['not', 'gzip', 'gzip unsaid', 'gzip only said', 'damaged gzip', 'a bomb', 'otherwise'] as const;

const mostlyFirst = <T>([usual, ...others]: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual!) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

/** Bodies for a path of the route table that ends in `.format`. */
export const bodyFor = (path: string): fc.Arbitrary<Body> =>
  fc
    .tuple(writtenFor(path), mostlyFirst(BYTES), mostlyFirst(PACKED))
    .map(([written, bytes, packed]) => ({ ...written, bytes, packed }));

/** Some kilobytes on the wire, 12 megabytes unpacked. */
const BOMB = gzipSync(Buffer.alloc(12 * 1024 * 1024));

/** The body as it goes over the wire, and what is said of it. */
export function toWire({ text, type, bytes, packed }: Body): { sent: Buffer; headers: Record<string, string> } {
  const { sent, encoding } = pack(toBytes(text, bytes), packed);
  return {
    sent,
    headers: { ...(type && { 'content-type': type }), ...(encoding && { 'content-encoding': encoding }) },
  };
}

function toBytes(text: string, state: Body['bytes']): Buffer {
  const bytes = Buffer.from(text);
  switch (state) {
    case 'as they are':
      return bytes;
    case 'with a byte order mark':
      return Buffer.from(`\u{feff}${text}`);
    case 'cut short':
      return bytes.subarray(0, bytes.length / 2);
    case 'not UTF-8':
      return Buffer.concat([bytes, Buffer.from([0xc3, 0x28, 0xff])]);
  }
}

function pack(bytes: Buffer, packed: Body['packed']): { sent: Buffer; encoding?: string } {
  switch (packed) {
    case 'not':
      return { sent: bytes };
    case 'gzip':
      return { sent: gzipSync(bytes), encoding: 'gzip' };
    case 'gzip unsaid':
      return { sent: gzipSync(bytes) };
    case 'gzip only said':
      return { sent: bytes, encoding: 'gzip' };
    case 'damaged gzip':
      return { sent: gzipSync(bytes).subarray(0, -5), encoding: 'x-gzip' };
    case 'a bomb':
      return { sent: BOMB, encoding: 'gzip' };
    case 'otherwise':
      return { sent: bytes, encoding: 'br, gzip;q=<script>' };
  }
}
