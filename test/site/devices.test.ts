import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { decode, signIn } from './browser.ts';
import { textOf } from './listener.ts';

const BOB = { auth: 'bob:secret' };

async function openDevices() {
  const server = await openTestServer();
  const { request } = server;
  for (const [device, feed] of [
    ['phone', 'a'],
    ['tv', 'b'],
  ]) {
    await request('PUT', `/subscriptions/bob/${device}.json`, {
      ...BOB,
      headers: { 'user-agent': `App/${feed}` },
      body: [`http://example.org/${feed}`],
    });
  }
  const listOf = async (device: string): Promise<string[]> =>
    ((await (await request('GET', `/subscriptions/bob/${device}.json`, BOB)).json()) as string[]).toSorted();
  return { ...server, listOf, visitor: await signIn(server) };
}

it('shows each device with its app, its last sync and its subscriptions', async () => {
  const server = await openDevices();
  const { visitor } = server;
  expect((await (await signIn(server, 'eve')).get('/devices')).html).toContain('You have no devices.');
  const { html } = await visitor.get('/devices');
  expect(html).toContain('>phone</a>');
  expect(textOf(html)).toContain('Other · 1 subscription · App/a');
  expect(html).toContain('Last sync <time');
});

it('shows the app that synced last, even right after another one', async () => {
  const { visitor, request } = await openDevices();
  await request('GET', '/api/2/subscriptions/bob/phone.json?since=0', { ...BOB, headers: { 'user-agent': 'App/c' } });
  const text = textOf((await visitor.get('/devices')).html);
  expect([text.includes('App/c'), text.includes('App/a')]).toEqual([true, false]);
});

it('lists requests that were refused, with their device and app', async () => {
  const { visitor, request } = await openDevices();
  const episode = {
    podcast: 'http://example.org/a',
    episode: 'http://example.org/1.mp3',
    device: 'tv',
    action: 'dance',
  };
  await request('POST', '/api/2/episodes/bob.json', { ...BOB, headers: { 'user-agent': 'App/b' }, body: [episode] });
  await request('POST', '/api/2/devices/bob/phone.json', { ...BOB, body: { caption: 'Pixel' } });
  await request('POST', '/api/2/subscriptions/bob/phone.json', { ...BOB, body: { add: 'no list', remove: [] } });
  await request('POST', '/api/2/subscriptions/bob/gone.json', { ...BOB, body: { add: 'no list', remove: [] } });
  const page = textOf((await visitor.get('/devices')).html);
  expect(page).toMatch(/Refused requests .* "add" must be an array of strings\. .* UTC · gone · gpodder\.net/);
  expect(page).toMatch(/ · Pixel · gpodder\.net/);
  expect(page).toMatch(/must be one of download, play, delete, new\. .* UTC · (tv · )?App\/b · gpodder\.net/);
});

it('explains what to check if an app does not sync, although nothing was refused', async () => {
  const { visitor } = await openDevices();
  const { html } = await visitor.get('/devices');
  expect(textOf(html)).toContain('Refused requests None recorded. Failed logins are not listed');
  expect(html).toContain('<a href="http://localhost/connect">server address, user name and password</a>');
});

it('shows the same refusal at each device that it concerns', async () => {
  const { visitor, request } = await openDevices();
  for (const device of ['phone', 'tv', 'tv']) {
    await request('POST', `/api/2/subscriptions/bob/${device}.json`, { ...BOB, body: { add: 'no list', remove: [] } });
  }
  const text = textOf((await visitor.get('/devices')).html);
  expect(text.match(/Last refused/g)).toHaveLength(2);
});

it('a form that was open for too long loses neither name nor type', async () => {
  const { visitor } = await openDevices();
  const again = await visitor.send(
    '/device?id=tv',
    { caption: 'Big screen', type: 'desktop', csrf: 'old' },
    'http://localhost/device?id=tv',
  );
  expect([again.status, again.html.includes('value="Big screen"')]).toEqual([400, true]);
  expect(again.html).toContain('value="desktop" selected');
  expect(again.html).toContain('This form was too old; nothing was changed. Send it again.');
});

it('stores no app if the account does not want it', async () => {
  const { visitor, request, clock } = await openDevices();
  await visitor.send(
    '/settings',
    { publicProfile: 'on', publicSubscriptions: 'on' },
    'http://localhost/settings/privacy',
  );
  clock.now += 3600;
  await request('GET', '/api/2/subscriptions/bob/phone.json?since=0', { ...BOB, headers: { 'user-agent': 'App/c' } });
  const { html } = await visitor.get('/devices');
  expect(html).not.toContain('App/c');
});

it('renames a device', async () => {
  const { visitor, request } = await openDevices();
  const done = await visitor.send(
    '/device?id=phone',
    { caption: 'My <phone>', type: 'mobile' },
    'http://localhost/device?id=phone',
  );
  expect(done.status).toBe(303);
  const { html } = await visitor.get(done.location!);
  expect(html).toContain('My &lt;phone&gt;');
  expect(html).toContain('Device saved.');
  const [phone] = (await (await request('GET', '/api/2/devices/bob.json', BOB)).json()) as unknown[];
  expect(phone).toMatchObject({ id: 'phone', caption: 'My <phone>', type: 'mobile' });
});

it('saves a device whose name has a character that its app has broken', async () => {
  const server = await openTestServer();
  await server.services.devices.save((await server.services.accounts.findByName('bob'))!.id, 'phone', {
    caption: 'B\ufffdro',
  });
  const visitor = await signIn(server);
  const path = '/device?id=phone';
  const sent = await visitor.send(path, { caption: 'B\ufffdro', type: 'mobile' }, `http://localhost${path}`);
  expect(sent.location).toBe('http://localhost/devices?done=saved');
  expect((await visitor.get('/devices')).html).toContain('Mobile');
});

it('shows a name that is too long again, with the error beside it', async () => {
  const { visitor } = await openDevices();
  const caption = 'x'.repeat(256);
  const again = await visitor.send('/device?id=phone', { caption, type: 'mobile' }, 'http://localhost/device?id=phone');
  expect(again.status).toBe(400);
  expect(again.html).toContain('href="http://localhost/devices" aria-current="page"');
  expect(again.html).toContain(caption);
  expect(again.html).toContain('id="caption-error"');
});

it.each(['.', '..', 'remove', 'a b.c'])('renames and removes a device with the id %j', async (id) => {
  const { visitor, request, services } = await openDevices();
  const bob = (await services.accounts.findByName('bob'))!.id;
  const body = { caption: 'Mine' };
  await request('POST', `/api/2/devices/bob/${encodeURIComponent(id)}.json`, { ...BOB, body });
  await visitor.send('/devices', { sync: 'on' }, 'http://localhost/devices/sync');
  const link = decode(/href="([^"]*)">Mine/.exec((await visitor.get('/devices')).html)![1]!);
  expect((await visitor.send(link, { caption: 'Renamed', type: 'other' }, link)).status).toBe(303);
  expect((await services.devices.names(bob)).get(id)).toBe('Renamed');
  expect((await services.devices.following(bob)).alone).toEqual([]);
  await visitor.send(link, { confirm: 'on' }, link.replace('?', '/remove?'));
  expect([...(await services.devices.names(bob)).keys()]).toEqual(['phone', 'tv']);
});

it('keeps the same subscriptions on all devices, after saying what each receives, and stops doing so', async () => {
  const { visitor, request, listOf } = await openDevices();
  expect((await visitor.get('/devices')).html).toContain('each receives those of the others');
  await visitor.send('/devices', { sync: 'on' }, 'http://localhost/devices/sync');
  expect(await listOf('tv')).toEqual(['http://example.org/a', 'http://example.org/b']);
  expect((await visitor.get('/devices')).html).toContain('All devices have the same subscriptions');
  await visitor.send('/devices', { sync: 'off' }, 'http://localhost/devices/sync');
  await request('PUT', '/subscriptions/bob/tv.json', { ...BOB, body: [] });
  expect(await listOf('phone')).toEqual(['http://example.org/a', 'http://example.org/b']);
});

it('groups devices and takes them out again', async () => {
  const { visitor, listOf, services } = await openDevices();
  const bob = (await services.accounts.findByName('bob'))!.id;
  const form = 'http://localhost/devices';
  await visitor.send('/devices', { device: ['phone', 'tv'], do: 'join' }, form);
  expect(await listOf('phone')).toEqual(['http://example.org/a', 'http://example.org/b']);
  const { html } = await visitor.get('/devices');
  for (const text of ['Group 1: phone, tv', 'phone (in group 1)']) expect(html).toContain(text);
  await visitor.send('/devices', { device: 'phone', do: 'leave' }, form);
  expect((await services.devices.following(bob)).groups).toEqual([]);
  const none = await visitor.send('/devices', { device: 'phone', do: 'join' }, form);
  expect(none.status).toBe(400);
  expect(none.html).toContain('Choose at least two devices.');
  expect((await visitor.send('/devices', { do: 'leave' }, form)).html).toContain('Choose at least one device.');
});

it('offers groups only for several devices with subscriptions of their own', async () => {
  const { visitor, services } = await openDevices();
  const bob = (await services.accounts.findByName('bob'))!.id;
  const text = async (): Promise<string> => textOf((await visitor.get('/devices')).html);
  expect(await text()).toContain('Each device has its own subscriptions. If you keep');
  await services.devices.synchronize(bob, [['phone', 'tv']], []);
  expect(await text()).toMatch(/its own subscriptions, apart from the groups below\. If .* Groups /);
  await visitor.send('/devices', { sync: 'on' }, 'http://localhost/devices/sync');
  expect(await text()).not.toContain('Groups');
  await visitor.send('/devices', { sync: 'off' }, 'http://localhost/devices/sync');
  await services.devices.remove(bob, 'tv');
  expect(await text()).not.toContain('Groups');
});

it('shows what is known of a device', async () => {
  const { visitor, services } = await openDevices();
  await services.devices.save((await services.accounts.findByName('bob'))!.id, 'new', { type: 'laptop' });
  const factsOf = async (id: string): Promise<string> =>
    textOf(/<dl[^]*<\/dl>/.exec((await visitor.get(`/device?id=${id}`)).html)![0]).trim();
  expect(await factsOf('phone')).toMatch(
    /^Device id phone Subscriptions 1 Last sync 14 Nov 2023, .* UTC App App\/a Service gpodder\.net$/,
  );
  expect(await factsOf('new')).toBe('Device id new Subscriptions 0 Last sync Not recorded');
  expect((await visitor.get('/device?id=new')).html).toContain('value="laptop" selected');
});

it('groups as many devices as one request may name', async () => {
  const { visitor, services } = await openDevices();
  const bob = (await services.accounts.findByName('bob'))!.id;
  const form = 'http://localhost/devices';
  const many = Array.from({ length: 101 }, (_, n) => `${'電'.repeat(250)}${n}`);
  const device = many.slice(1);
  for (const id of many) await services.devices.save(bob, id, {});
  const tooMany = await visitor.send('/devices', { device: many, do: 'join' }, form);
  expect(tooMany.html).toContain('up to 100 devices');
  expect((await visitor.send('/devices', { device, do: 'join' }, form)).status).toBe(303);
  expect((await services.devices.following(bob)).groups).toEqual([device]);
});

it('removes a device with its list, if that is confirmed', async () => {
  const { visitor, request, listOf } = await openDevices();
  const form = 'http://localhost/device/remove?id=phone';
  const kept = await visitor.send('/device?id=phone', {}, form);
  expect([kept.status, kept.html]).toEqual([400, expect.stringContaining('Nothing was changed: check the box')]);
  expect(await listOf('phone')).toEqual(['http://example.org/a']);
  const done = await visitor.send('/device?id=phone', { confirm: 'on' }, form);
  expect(done.status).toBe(303);
  const { html } = await visitor.get(done.location!);
  expect(html).not.toContain('>phone</a>');
  expect(html).toContain('Device removed.');
  expect((await request('GET', '/subscriptions/bob/phone.json', BOB)).status).toBe(404);
  expect((await visitor.get('/device?id=phone')).status).toBe(404);
});

it('does not claim that no app has synced once all devices were removed', async () => {
  const { visitor, request } = await openDevices();
  const played = { podcast: 'http://example.org/a', episode: 'http://example.org/1.mp3', action: 'play', position: 90 };
  await request('POST', '/api/2/episodes/bob.json', { ...BOB, body: [played] });
  for (const id of ['phone', 'tv']) {
    await visitor.send(`/device?id=${id}`, { confirm: 'on' }, `http://localhost/device/remove?id=${id}`);
  }
  expect(textOf((await visitor.get('/devices')).html)).toContain('You have no devices.');
  const home = textOf((await visitor.get('/')).html);
  expect(home).toContain('You have no devices.');
  expect(home).toContain('Stopped at 1:30');
});

it('sends a visitor who is not signed in to the login page, and back', async () => {
  const { request } = await openTestServer();
  const answer = await request('GET', '/devices');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'http://localhost/login?next=%2Fdevices']);
});
