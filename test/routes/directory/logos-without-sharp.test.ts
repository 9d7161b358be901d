import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer } from '../../server.ts';

beforeAll(() => {
  vi.doMock('sharp', () => {
    throw new Error("Cannot find package 'sharp'");
  });
});
afterAll(() => void vi.doUnmock('sharp')); // other files share the modules

const LOGO = 'http://example.org/logo';
const PATH = createHash('sha256').update(LOGO).digest('hex');
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** The responses to requests for these sizes of a logo, and the number of fetches. */
async function requestLogo(
  image: Uint8Array,
  sizes: readonly number[],
): Promise<{ answers: Response[]; fetches: number }> {
  let fetches = 0;
  const fetcher = {
    fetchFeed: () => Promise.reject(new Error('unexpected')),
    fetchImage: async () => {
      fetches += 1;
      return image;
    },
    close: async () => undefined,
  };
  const { request, storage } = await openTestServer({ fetcher });
  await request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body: ['http://example.org/a'] });
  await recordFeed(storage, 'http://example.org/a', { logoUrl: LOGO });
  const answers: Response[] = [];
  for (const size of sizes) answers.push(await request('GET', `/logo/${size}/${PATH}`));
  return { answers, fetches };
}

it.each([
  ['image/png', Buffer.from(PIXEL, 'base64')],
  ['image/gif', Buffer.from('GIF89a of some size')],
])('without sharp a logo is the original in every size: %s', async (type, image) => {
  const { answers, fetches } = await requestLogo(image, [1, 64, 256, 64]);
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(image);
  }
  expect(fetches).toBe(1);
});

it('without sharp, too, a logo that is not an image is the built-in one', async () => {
  const { answers } = await requestLogo(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), [64]);
  expect(answers[0]!.headers.get('content-type')).toBe('image/svg+xml');
  expect(answers[0]!.headers.get('cache-control')).toBe('public, max-age=300');
  expect(await answers[0]!.text()).not.toContain('script');
});
