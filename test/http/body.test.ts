import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { H3Event } from 'h3';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/domain/errors.ts';
import type { Reservation } from '../../src/http/body-budget.ts';
import { type BodyOptions, readChunks, readJson } from '../../src/http/body.ts';

const LIMIT = 1_000_000;

/** A request whose body is still arriving, and the bytes that it has reserved. */
function begin(headers: Record<string, string>) {
  const request = Object.assign(new PassThrough(), { headers });
  const req = { headers: new Headers(headers), runtime: { node: { req: request } } };
  const event = { req, context: {} } as unknown as H3Event;
  const reserved: number[] = [];
  const reservation: Reservation = {
    reserve: async (bytes) => void reserved.push(bytes),
    complete: () => undefined,
    release: () => undefined,
  };
  const parser = { json: async (bytes) => Buffer.from(bytes).toString() } as BodyOptions['parser'];
  const bodyOptions: BodyOptions = { limit: LIMIT, parser, budget: { open: () => reservation }, sender: 'bob' };
  return { request, event, reserved, reservation, bodyOptions };
}

it.each<[string, Record<string, string>, Buffer, number[]]>([
  ['nothing if it is small', { 'content-length': '10' }, Buffer.alloc(10), []],
  ['its length before it has arrived', { 'content-length': '300000' }, Buffer.alloc(1), [300_000]],
  ['the limit if its length is unknown', {}, Buffer.alloc(100_000), [LIMIT]],
  [
    'the limit if it is compressed',
    { 'content-length': '100000', 'content-encoding': 'gzip' },
    Buffer.alloc(1),
    [LIMIT],
  ],
])('a body reserves %s', async (_, headers, sent, expected) => {
  const { request, event, reserved, bodyOptions } = begin(headers);
  const read = readJson(event, bodyOptions);
  request.write(sent);
  await new Promise(setImmediate);
  expect(reserved).toEqual(expected);
  request.destroy();
  await expect(read).rejects.toThrow('before the whole request body arrived');
});

it('a short body that is large after decompression reserves the limit', async () => {
  const { request, event, reserved, bodyOptions } = begin({ 'content-encoding': 'gzip' });
  request.end(gzipSync('x'.repeat(200_000)));
  expect(await readJson(event, bodyOptions)).toHaveLength(200_000);
  expect(reserved).toEqual([LIMIT]);
});

it('a body that is parsed while it arrives reserves the limit when it becomes large', async () => {
  const { request, event, reserved, reservation } = begin({});
  request.end(Buffer.alloc(100_000));
  for await (const _chunk of readChunks(event, LIMIT, reservation));
  expect(new Set(reserved)).toEqual(new Set([LIMIT]));
});

it('a body that is parsed while it arrives is no longer waited for once it is evicted', async () => {
  const { request, event, reservation } = begin({});
  reservation.reserve = async (_bytes, evict) => evict!(new Refusal('busy', 'too slow'));
  request.write(Buffer.alloc(100_000));
  const read = async (): Promise<void> => {
    for await (const _chunk of readChunks(event, LIMIT, reservation));
  };
  await expect(read()).rejects.toThrow('before the whole request body arrived');
});

it('refuses a body whose client disconnected before it was read', async () => {
  const { request, event, bodyOptions } = begin({ 'content-length': '10' });
  request.destroy();
  await new Promise(setImmediate);
  await expect(readJson(event, bodyOptions)).rejects.toThrow('before the whole request body arrived');
});
