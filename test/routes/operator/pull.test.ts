import { expect, it, vi } from 'vitest';
import { openTestServer } from '../../server.ts';

const PATH = '/operator/users/bob/pull';

it.each([
  [{}, /"kind" must be device, subscriptions, group, actions, settings or list/],
  [{ kind: 'device', device: 'phone', caption: null, type: 'mobile' }, /"caption" must be a string/],
  [{ kind: 'subscriptions', device: 'phone', urls: [1] }, /"urls": entry \[0\] is not a string/],
  [{ kind: 'group', devices: 'phone' }, /"devices" must be an array of strings/],
  [{ kind: 'actions' }, /"actions" must be an array/],
  [{ kind: 'settings', scope: { scope: 'world' }, values: {} }, /"scope" must be one of/],
  [{ kind: 'settings', scope: { scope: 'device', device: 1 }, values: {} }, /"device" must be a string/],
  [{ kind: 'settings', scope: { scope: 'account' }, values: [] }, /"values" must be an object/],
])('%j is refused as a chunk', async (body, says) => {
  const { request } = await openTestServer({ operator: true });
  const answer = await request('POST', PATH, { body });
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { message: string }).message).toMatch(says);
});

it('refuses and reports a chunk that is larger than one upload may be', async () => {
  const { request } = await openTestServer({ operator: true });
  const urls = Array.from({ length: 20_001 }, (_, n) => `https://feeds.example/${n}`);
  const answer = await request('POST', PATH, { body: { kind: 'subscriptions', device: 'phone', urls } });
  const { imported, refused } = (await answer.json()) as { imported: number; refused: object[] };
  expect({ imported, refused }).toEqual({
    imported: 0,
    refused: [{ what: 'the device phone', reason: expect.stringContaining('20000 feeds') }],
  });
});

it('refuses a long list title at once: to make a name of accents takes quadratic time', async () => {
  const { request } = await openTestServer({ operator: true });
  const title = 'e' + '\u0301\u0323'.repeat(500_000);
  const answer = await request('POST', PATH, { body: { kind: 'list', title, urls: ['https://feeds.example/1'] } });
  const { imported, refused } = (await answer.json()) as { imported: number; refused: object[] };
  expect({ imported, refused }).toEqual({
    imported: 0,
    refused: [{ what: expect.any(String), reason: expect.stringContaining('at most 255 characters') }],
  });
});

it('imports actions of more devices than one upload may name', async () => {
  const { request } = await openTestServer({ operator: true });
  const actions = Array.from({ length: 250 }, (_, n) => ({
    podcast: 'HTTPS://feeds.example/1',
    episode: `https://media.example/${n}.mp3`,
    device: `device-${n % 125}`,
    action: 'download',
    timestamp: n,
  }));
  const answer = await request('POST', PATH, { body: { kind: 'actions', actions } });
  const rewritten = [{ from: 'HTTPS://feeds.example/1', to: 'https://feeds.example/1' }];
  expect(await answer.json()).toEqual({ imported: 250, rewritten, refused: [], notes: [] });
  const stored = await request('GET', '/api/2/episodes/bob.json', { auth: 'bob:secret' });
  const found = ((await stored.json()) as { actions: { episode: string }[] }).actions;
  expect(found.map(({ episode }) => episode)).toEqual(actions.map(({ episode }) => episode));
});

it('skips an unusable feed, however often it appears', async () => {
  const { request } = await openTestServer({ operator: true });
  const urls = ['ftp://feeds.example/1', 'ftp://feeds.example/1', 'https://feeds.example/2'];
  const answer = await request('POST', PATH, { body: { kind: 'subscriptions', device: 'phone', urls } });
  expect(await answer.json()).toMatchObject({ imported: 1, refused: [{ what: urls[0] }] });
});

it('imports a chunk only into an existing account, and only for the operator', async () => {
  const { request } = await openTestServer({ operator: true });
  const body = { kind: 'subscriptions', device: 'phone', urls: ['https://feeds.example/1'] };
  expect((await request('POST', '/operator/users/nobody/pull', { body })).status).toBe(404);
  const answer = await request('POST', PATH, { body });
  expect(await answer.json()).toEqual({ imported: 1, rewritten: [], refused: [], notes: [] });

  const open = await openTestServer();
  expect((await open.request('POST', PATH, { auth: 'bob:secret', body })).status).toBe(404);
});

it('reports what it refuses without the passwords in addresses', async () => {
  const { request } = await openTestServer({ operator: true });
  const [podcast, episode] = ['https://bob:hunter2@feeds.example/1', 'https://bob:hunter2@media.example/1.mp3'];
  const values = { big: 'x'.repeat(70_000) };
  const chunks: [chunk: object, what: string][] = [
    [
      { kind: 'subscriptions', device: 'phone', urls: ['ftp://bob:hunter2@feeds.example/1'] },
      'ftp://***@feeds.example/1',
    ],
    [
      { kind: 'settings', scope: { scope: 'podcast', podcast }, values },
      'the setting big of https://***@feeds.example/1',
    ],
    [
      { kind: 'settings', scope: { scope: 'episode', podcast, episode }, values },
      'the setting big of https://***@media.example/1.mp3',
    ],
    [
      { kind: 'actions', actions: [{ podcast, episode, action: 'tip' }] },
      'an episode action of https://***@media.example/1.mp3',
    ],
  ];
  for (const [body, what] of chunks) {
    const text = await (await request('POST', PATH, { body })).text();
    expect(JSON.parse(text)).toMatchObject({ imported: 0, refused: [{ what }] });
    expect(text).not.toContain('hunter2');
  }
});

it('imports settings and the group of a device whose id has to be changed', async () => {
  const { request } = await openTestServer({ operator: true });
  for (const device of ['a@b:c', 'tv']) {
    await request('POST', PATH, { body: { kind: 'device', device, caption: '', type: 'mobile' } });
  }
  const body = { kind: 'settings', scope: { scope: 'device', device: 'a@b:c' }, values: { volume: 5 } };
  expect(await (await request('POST', PATH, { body })).json()).toMatchObject({ imported: 1, refused: [] });
  const settings = await request('GET', '/api/2/settings/bob/device.json?device=a_b_c', { auth: 'bob:secret' });
  expect(await settings.json()).toEqual({ volume: 5 });
  const group = { kind: 'group', devices: ['tv', 'a@b:c'] };
  expect(await (await request('POST', PATH, { body: group })).json()).toMatchObject({ imported: 1, refused: [] });
  const groups = await request('GET', '/api/2/sync-devices/bob.json', { auth: 'bob:secret' });
  expect(await groups.json()).toMatchObject({ synchronized: [['a_b_c', 'tv']] });
});

it('refuses and reports a group of devices that do not exist, and a list beyond the thousandth', async () => {
  const { request, storage } = await openTestServer({ operator: true });
  const summaries = Array.from({ length: 1000 }, (_, n) => ({ name: `${n}`, title: `${n}` }));
  vi.spyOn(storage.lists, 'all').mockResolvedValue(summaries);
  const list = { kind: 'list', title: 'News', urls: ['https://feeds.example/1'] };
  const chunks: [chunk: object, what: string, reason: string][] = [
    [{ kind: 'group', devices: ['phone', 'tv'] }, 'the group of devices phone, tv', 'does not exist'],
    [list, 'the podcast list News', 'up to 1000 podcast lists'],
  ];
  for (const [body, what, reason] of chunks) {
    const answer = await request('POST', PATH, { body });
    const refused = [{ what, reason: expect.stringContaining(reason) }];
    expect([answer.status, await answer.json()]).toMatchObject([200, { imported: 0, refused }]);
  }
});
