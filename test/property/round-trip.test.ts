import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type ModelServer, openModelServer } from '../model/server.ts';
import { seed } from '../seed.ts';
import { type Body, bodyFor, toWire } from './bodies.ts';

/* An upload that succeeds is stored: it can be read, also after a restart. */

const RUNS = 150;
vi.setConfig({ testTimeout: 600_000 });

/** Sends a request as bob. */
type Send = (method: string, path: string, body?: Body | string) => Promise<{ status: number; text: string }>;

const senderTo =
  (server: ModelServer): Send =>
  async (method, path, body) => {
    const { sent, headers } = typeof body === 'object' ? toWire(body) : { sent: body, headers: {} };
    const authorization = `Basic ${Buffer.from('bob:secret').toString('base64')}`;
    const response = await server.request(
      new Request(`http://localhost${path}`, {
        method,
        headers: { ...headers, authorization },
        ...(sent !== undefined && { body: sent }),
      }),
    );
    return { status: response.status, text: await response.text() };
  };

/**
 * Uploads many bodies, each to its own path, reads those that were accepted with `readBack`, and compares the responses
 * of the paths `stored` before and after a restart.
 */
async function uploadMany(
  route: { method: string; pattern: string; path: (run: number) => string; stored: (run: number) => string[] },
  readBack: (send: Send, body: Body, answer: string, run: number) => Promise<void>,
): Promise<void> {
  const server = await openModelServer();
  const send = senderTo(server);
  const paths: string[] = [];
  try {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(bodyFor(route.pattern), async (body) => {
        server.wall += 1000; // so that no two uploads overlap
        run += 1;
        const { status, text } = await send(route.method, route.path(run), body);
        if (status >= 400 || body.bytes === 'truncated') return; // half of a list may be a valid, but different list
        paths.push(...route.stored(run));
        await readBack(send, body, text, run);
      }),
      { seed, numRuns: RUNS },
    );
    expect(paths.length, 'accepted bodies').toBeGreaterThan(RUNS / 10);

    const readAll = async () =>
      Promise.all([...new Set(paths)].map(async (path) => withoutMark((await send('GET', path)).text)));
    const before = await readAll();
    await server.restart();
    expect(await readAll()).toEqual(before);
  } finally {
    expect(await server.close()).toEqual([]);
  }
}

const withoutMark = (answer: string): string => answer.replace(/"timestamp":\d+\}$/, '');

/** Whether a URL is stored unchanged. */
const isPlain = (url: unknown): url is string =>
  typeof url === 'string' && /^https?:\/\/[a-z.]+\/[\w./]{0,99}$/.test(url);

/** The value of a body: null and an empty body, even with a byte order mark, are an empty object. */
const jsonOf = ({ text }: Body): any => JSON.parse(text.trim() || 'null') ?? {};

const readList = async (send: Send, device: string, format = 'json'): Promise<string> =>
  (await send('GET', `/subscriptions/bob/${device}.${format}`)).text;

describe.each(['json', 'txt', 'opml'])('a whole list as %s', (format) => {
  it('is returned, in every format', () =>
    uploadMany(
      {
        method: 'PUT',
        pattern: `/subscriptions/:user/:device.${format}`,
        path: (run) => `/subscriptions/bob/device-${run}.${format}`,
        stored: (run) => [`/subscriptions/bob/device-${run}.json`],
      },
      async (send, { text }, answer, run) => {
        expect(answer).toBe('');
        const list = await readList(send, `device-${run}`);
        const urls: string[] = JSON.parse(list);
        if (format === 'txt') expect(urls).toEqual(expect.arrayContaining(text.split(/[\r\n]+/).filter(isPlain)));
        for (const other of ['json', 'txt', 'opml']) {
          const copy = `${other}-${run}`;
          const listed = await readList(send, `device-${run}`, other);
          const again = await send('PUT', `/subscriptions/bob/${copy}.${other}`, listed);
          expect([again.status, await readList(send, copy)]).toEqual([200, list]);
        }
      },
    ));
});

it('the changes of a delta are in the list, and in no later delta', () =>
  uploadMany(
    {
      method: 'POST',
      pattern: '/api/2/subscriptions/:user/:device.json',
      path: (run) => `/api/2/subscriptions/bob/device-${run}.json`,
      stored: (run) => [`/subscriptions/bob/device-${run}.json`],
    },
    async (send, body, answer, run) => {
      const { timestamp, update_urls } = JSON.parse(answer);
      const rewritten = new Map<string, string>(update_urls);
      const { add } = jsonOf(body);
      const added: string[] = Array.isArray(add) ? add : []; // an empty list may be sent as {}
      const stored = added.map((url) => rewritten.get(url) ?? url).filter((url) => url !== '');
      expect(JSON.parse(await readList(send, `device-${run}`))).toEqual([...new Set(stored)]);
      const changes = async (since: number) =>
        JSON.parse((await send('GET', `/api/2/subscriptions/bob/device-${run}.json?since=${since}`)).text);
      expect(await changes(0)).toMatchObject({ add: [...new Set(stored)], remove: [] });
      expect(await changes(timestamp)).toMatchObject({ add: [], remove: [] });
    },
  ));

it('episode actions are returned', () =>
  uploadMany(
    {
      method: 'POST',
      pattern: '/api/2/episodes/:user.json',
      path: () => '/api/2/episodes/bob.json',
      stored: () => ['/api/2/episodes/bob.json'],
    },
    async (send, body, answer) => {
      const rewritten = new Map<string, string>(JSON.parse(answer).update_urls);
      const { actions } = JSON.parse((await send('GET', '/api/2/episodes/bob.json')).text);
      for (const { podcast, episode, action, device, guid } of jsonOf(body)) {
        const [feed, media] = [podcast, episode].map((url) => rewritten.get(url ?? '') ?? url);
        if (feed === '' || media === '') continue;
        expect(actions).toContainEqual(
          expect.objectContaining({
            podcast: feed,
            episode: media,
            action: action.toLowerCase(),
            ...(device && { device }),
            ...(guid && guid.isWellFormed() && { guid }),
          }),
        );
      }
    },
  ));

it('the caption and type of a device are returned', () =>
  uploadMany(
    {
      method: 'POST',
      pattern: '/api/2/devices/:user/:device.json',
      path: (run) => `/api/2/devices/bob/device-${run}.json`,
      stored: () => ['/api/2/devices/bob.json'],
    },
    async (send, body, answer, run) => {
      expect(answer).toBe('');
      const { caption = '', type = 'other' } = jsonOf(body);
      const devices = JSON.parse((await send('GET', '/api/2/devices/bob.json')).text);
      expect(devices).toContainEqual({ id: `device-${run}`, caption: caption.toWellFormed(), type, subscriptions: 0 });
    },
  ));

it('settings are returned', () =>
  uploadMany(
    {
      method: 'POST',
      pattern: '/api/2/settings/:user/:scope.json',
      path: (run) => `/api/2/settings/bob/device.json?device=device-${run}`,
      stored: (run) => [`/api/2/settings/bob/device.json?device=device-${run}`],
    },
    async (send, body, answer, run) => {
      const { set = {}, remove = [] } = jsonOf(body);
      const left = Object.entries(set).filter(([key]) => !remove.includes(key));
      const stored = Object.entries(JSON.parse(answer));
      const expected = Object.entries(JSON.parse(JSON.stringify(Object.fromEntries(left))));
      // As maps: a value may be an object whose `toString` is not a function.
      expect(new Map(stored)).toEqual(new Map(expected));
      expect((await send('GET', `/api/2/settings/bob/device.json?device=device-${run}`)).text).toBe(answer);
    },
  ));

it('a podcast list is returned', () =>
  uploadMany(
    {
      method: 'POST',
      pattern: '/api/2/lists/:user/create.json',
      path: (run) => `/api/2/lists/bob/create.json?title=List%20${run}`,
      stored: (run) => [`/api/2/lists/bob/list/list-${run}.json`],
    },
    async (send, body, _, run) => {
      const urls = async (format: string) => (await send('GET', `/api/2/lists/bob/list/list-${run}.${format}`)).text;
      const plain = jsonOf(body)
        .map((entry: any) => entry.url ?? entry.feed ?? entry)
        .filter(isPlain);
      const stored: string[] = JSON.parse(await urls('json')).map(({ url }: { url: string }) => url);
      expect(stored).toEqual(expect.arrayContaining(plain));
      expect(await urls('txt')).toBe(stored.map((url) => `${url}\n`).join(''));
    },
  ));
