import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, type TestServer } from '../../server.ts';

export const auth = 'bob:secret';
export const A = 'http://example.org/a';
export const B = 'http://example.org/b';
export const C = 'http://example.org/c?x=1&y=ä'.replace('ä', '%C3%A4');
export const LOGO = 'http://example.org/logo.png';

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
export const page = (url: string): string => `http://localhost/podcast?url=${encodeURIComponent(url)}`;

export const PODCAST_A = {
  url: A,
  title: 'Alpha & Omega',
  author: 'Ann',
  description: 'First <things> last.',
  subscribers: 2,
  subscribers_last_week: 2,
  logo_url: LOGO,
  website: 'http://example.org/',
  svc_link: page(A),
  mygpo_link: page(A),
};
export const PODCAST_B = {
  url: B,
  title: B,
  author: '',
  description: '',
  subscribers: 1,
  subscribers_last_week: 1,
  logo_url: null,
  website: '',
  svc_link: page(B),
  mygpo_link: page(B),
};

/** Bob subscribes to A, eve to A and B; A was fetched. C is known but has no subscribers. */
export async function openFilled(options: Parameters<typeof openTestServer>[0] = {}, target?: 'in-process' | 'socket') {
  const server = await openTestServer(options, target);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [C, A] });
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [A] });
  await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [B, A] });
  const texts = { title: 'Alpha & Omega', author: 'Ann', description: 'First <things> last.', logoUrl: LOGO };
  await recordFeed(
    server.storage,
    A,
    { ...texts, website: 'http://example.org/', tags: ['Society & Culture', 'News'] },
    [
      {
        url: 'http://example.org/1.mp3',
        guid: 'one',
        title: 'One',
        description: 'The first.',
        releasedAt: 1_600_000_000,
      },
      { url: 'http://example.org/2.mp3' },
      { url: 'http://example.org/%C3%A4.mp3' },
    ],
  );
  return server;
}

export const read = async ({ request }: TestServer, path: string, options = {}): Promise<any> => {
  const answer = await request('GET', path, options);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.anything()]);
  return answer.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text;
};
