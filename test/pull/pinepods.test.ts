import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { feed, media, open, pull, readAll } from './fixtures.ts';

/*
 * PinePods, commit 4b8785b of 2026-07-10. For a whole list it looks for a device `phone.json`, creates it, and returns an
 * empty list; only the changes have the subscriptions, which are those of the account.
 */

it('imports devices, subscriptions and episode actions', async () => {
  const other = await open({ devices: [], subscriptions: {}, actions: [] });
  const answers: Record<string, unknown> = {
    '/api/2/devices/bob.json': [{ id: 'phone', type: 'mobile', caption: 'Phone', subscriptions: 2 }],
    '/subscriptions/bob/phone.json': [],
    '/api/2/subscriptions/bob/phone.json?since=0': { add: [feed(1), feed(2)], remove: [], timestamp: 1783739832 },
    '/api/2/episodes/bob.json?since=0': {
      actions: [
        {
          podcast: feed(1),
          episode: media(1),
          device: 'phone',
          action: 'play',
          timestamp: '2026-07-10T12:00:00',
          started: 0,
          position: 60,
          total: 600,
        },
      ],
      timestamp: 1783739832,
    },
  };
  other.intercept = (path, { headers }) => {
    if (headers.authorization !== `Basic ${btoa('bob:secret')}`) return { status: 401 };
    const answer = answers[path];
    return answer ? { status: 200, body: JSON.stringify(answer) } : { status: 404, body: '404 page not found' };
  };
  const to = await openTestServer();
  const { devices, subscriptions, actions, refused } = await pull(to, other.url);
  expect([devices, subscriptions, actions, refused]).toEqual([1, 2, 1, []]);
  expect(await readAll(to, ['/subscriptions/bob/phone.json'])).toEqual({
    '/subscriptions/bob/phone.json': [feed(1), feed(2)],
  });
});
