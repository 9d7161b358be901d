import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** Length of every episode, in seconds. */
export const LENGTH = 120;
const RATE = 8000;

/** Silence. */
function toWav(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * RATE, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28); // bytes a second
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34); // bits
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/**
 * Where episodes are: any `.wav` or `.mp4`, which are the same, in parts if asked for, as players do to seek; anything else
 * is a web page.
 */
export function usePublisher(): { url: string } {
  const wav = toWav(LENGTH);
  const server = createServer((request, response) => {
    const isMedia = /\.(wav|mp4)$/.test(request.url!);
    if (!isMedia) return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Gone');
    const [, from = '0', until = ''] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? [];
    const part = wav.subarray(Number(from), until === '' ? undefined : Number(until) + 1);
    return response
      .writeHead(request.headers.range ? 206 : 200, {
        'content-type': 'audio/wav',
        'accept-ranges': 'bytes',
        'content-length': part.length,
        ...(request.headers.range && {
          'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${wav.length}`,
        }),
      })
      .end(part);
  });
  const publisher = { url: '' };
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    publisher.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  return publisher;
}
