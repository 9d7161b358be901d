import { describe, expect, it } from 'vitest';
import { createRoutes } from '../src/routes/index.ts';
import type { RouteContext } from '../src/routes/route.ts';
import { createSiteRoutes } from '../src/routes/site/index.ts';
import type { Services } from '../src/services/services.ts';
import { logIn, openTestServer, type RequestOptions, TARGETS } from './server.ts';

/*
 * The specified interface: every row of its endpoint tables, every status (spec 7) and every limit (spec 8).
 */

const LISTS = '{opml,json,jsonp,txt}';
const SIMPLE = '{opml,json,txt}';

/** Method, path and sections of the specification. Braces contain alternatives. */
const SPECIFIED: readonly [method: string, path: string, sections: string][] = [
  ['POST', '/api/2/auth/{username}/login.json', '4.1'],
  ['POST', '/api/2/auth/{username}/logout.json', '4.1'],
  ['GET', '/api/2/tags/{count}.json', '4.2'],
  ['GET', '/api/2/tag/{tag}/{count}.json', '4.2'],
  ['GET', '/api/2/data/podcast.json', '4.2'],
  ['GET', '/api/2/data/episode.json', '4.2'],
  ['GET', '/toplist/{number}.{opml,json,jsonp,txt,xml}', '4.2, 4.9'],
  ['GET', `/subscriptions/{username}/{deviceid}.${LISTS}`, '4.3, 4.9'],
  ['GET', `/subscriptions/{username}.${LISTS}`, '4.3'],
  ['PUT', `/subscriptions/{username}/{deviceid}.${SIMPLE}`, '4.3, 4.9'],
  ['POST', '/api/2/subscriptions/{username}/{deviceid}.json', '4.3'],
  ['GET', '/api/2/subscriptions/{username}/{deviceid}.json', '4.3'],
  ['POST', `/api/2/lists/{username}/create.${SIMPLE}`, '4.4'],
  ['GET', '/api/2/lists/{username}.json', '4.4'],
  ['GET', `/api/2/lists/{username}/list/{listname}.${LISTS}`, '4.4'],
  ['PUT', `/api/2/lists/{username}/list/{listname}.${SIMPLE}`, '4.4'],
  ['DELETE', `/api/2/lists/{username}/list/{listname}.${LISTS}`, '4.4'],
  ['POST', '/api/2/devices/{username}/{deviceid}.json', '4.5'],
  ['GET', '/api/2/devices/{username}.json', '4.5'],
  ['GET', '/api/2/updates/{username}/{deviceid}.json', '4.5'],
  ['POST', '/api/2/settings/{username}/{scope}.json', '4.6'],
  ['GET', '/api/2/settings/{username}/{scope}.json', '4.6'],
  ['GET', `/suggestions/{number}.${LISTS}`, '4.7, 4.9'],
  ['POST', '/api/2/episodes/{username}.json', '4.8'],
  ['GET', '/api/2/episodes/{username}.json', '4.8'],
  ['GET', `/search.${SIMPLE}`, '4.9'],
  ['POST', '/api/1/subscriptions/{username}/{deviceid}.json', '4.9'],
  ['GET', '/api/1/subscriptions/{username}/{deviceid}.json', '4.9'],
  ['POST', '/api/1/episodes/{username}.json', '4.9'],
  ['GET', '/api/1/episodes/{username}.json', '4.9'],
  ['POST', '/api/1/devices/{username}/{deviceid}.json', '4.9'],
  ['GET', '/api/1/devices/{username}.json', '4.9'],
  ['POST', '/upload', '4.9'],
  ['GET', '/getlist', '4.9'],
  ['GET', '/register', '4.9'],
  ['GET', '/toplist.opml', '4.9'],
];

/** Routes that are not in the tables, and why they exist. */
const BESIDES: Readonly<Record<string, string>> = {
  'POST /subscriptions/:user/:device': 'old clients send whole lists by POST',
  'PUT /api/1/devices/:user/:device': 'an old client library saves devices by PUT',
  'PUT /api/2/devices/:user/:device': 'the same in version 2, which shares everything but episode actions',
  'GET /api/2/sync-devices/:user': 'clients link devices up with each other',
  'POST /api/2/sync-devices/:user': 'clients link devices up with each other',
  'GET /api/2/favorites/:user': 'the client library requests it',
  'GET /index.php/apps/gpoddersync/subscriptions': 'Nextcloud apps sync there',
  'POST /index.php/apps/gpoddersync/subscription_change/create': 'Nextcloud apps sync there',
  'GET /index.php/apps/gpoddersync/episode_action': 'Nextcloud apps sync there',
  'POST /index.php/apps/gpoddersync/episode_action/create': 'Nextcloud apps sync there',
  'GET /apps/gpoddersync/subscriptions': 'Nextcloud apps sync there',
  'POST /apps/gpoddersync/subscription_change/create': 'Nextcloud apps sync there',
  'GET /apps/gpoddersync/episode_action': 'Nextcloud apps sync there',
  'POST /apps/gpoddersync/episode_action/create': 'Nextcloud apps sync there',
  'POST /index.php/login/v2': 'Nextcloud apps start a login there',
  'POST /index.php/login/v2/poll': 'and fetch it there',
  'GET /status.php': 'Nextcloud apps look there first',
  'GET /ocs/v2.php/cloud/capabilities': 'Nextcloud apps look there first',
  'GET /ocs/v2.php/core/getapppassword': 'GNOME Podcasts exchanges a password there',
  'DELETE /ocs/v2.php/core/apppassword': 'GNOME Podcasts logs out there',
  'GET /clientconfig': 'the client library requests it',
  'GET /health': 'proxies and service managers check there whether the server works',
  'GET /upload': 'the oldest clients expect an error code as text',
  'POST /register': 'the form of the page is sent there',
  'GET /logo/:size/:hash': 'scaled_logo_url leads there',
  'GET /': 'people open the address of the server to see whether it runs',
  'GET /history': 'the history of an account, a page of the site and as CSV and JSON',
  'GET /statistics': 'what an account has listened to, a page of the site',
  'GET /api/podsync/1/statistics/:user': 'the same numbers for dashboards',
  'GET /podcast': 'svc_link leads there',
  'GET /episode': 'svc_link leads there',
  'GET /user/:user/lists/:name': 'web leads there',
  'GET /user/:user': 'the settings that make subscriptions public or private (spec 2.9) speak of it',
  'GET /user/:user/subscriptions': 'the link on the page of a user, for podcast apps',
};

const SAMPLES: Readonly<Record<string, string>> = {
  username: 'bob',
  deviceid: 'my.phone',
  listname: 'my-list',
  scope: 'account',
  tag: 'a%20tag',
  count: '10',
  number: '10',
};

/** All paths of a row. */
function addressesOf(path: string): string[] {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => SAMPLES[name]!);
  const [, before, formats] = /^(.*)\{([\w,]+)\}$/.exec(filled) ?? [];
  return formats === undefined ? [filled] : formats.split(',').map((format) => before + format);
}

describe.each(TARGETS)('every row of the tables (%s)', (target) => {
  it.each(SPECIFIED)('%s %s (spec %s) has a route', async (method, path) => {
    const { request } = await openTestServer({}, target);
    for (const address of addressesOf(path)) {
      const preflight = await request('OPTIONS', address);
      expect([address, preflight.status]).toEqual([address, 204]);
      expect(preflight.headers.get('allow')!.split(', ')).toContain(method);
      const answer = await request(method, `${address}?jsonp=take&q=x`);
      expect(await answer.text()).not.toContain('this address is available only as');
    }
  });
});

it('every route is in the tables, or its reason is given', () => {
  const routes = createRoutes({} as Services, {} as RouteContext);
  const patterns = new Set(
    SPECIFIED.map(([method, path]) => {
      const segments = path.replace(/\.(json|opml|\{[\w,]+\})$/, '').replace(/\{\w+\}/g, ':');
      return `${method} ${segments}`;
    }),
  );
  const site = new Set(createSiteRoutes({} as Services, {} as RouteContext).map(([, path]) => path)); // for people
  const unexplained = routes
    .filter(([, path]) => !site.has(path))
    .map(([method, path]) => `${method} ${path}`)
    .filter((route) => !patterns.has(route.replace(/:\w+/g, ':')) && !(route in BESIDES));
  expect(unexplained).toEqual([]);
  const stale = Object.keys(BESIDES).filter((key) => !routes.some(([method, path]) => key === `${method} ${path}`));
  expect(stale).toEqual([]);
});

const auth = 'bob:secret';
const A = 'http://example.org/a';
const DELTA = '/api/2/subscriptions/bob/phone.json';
const LIST = '/subscriptions/bob/phone';

/** Name, request and status. */
type Case = [name: string, method: string, path: string, options: RequestOptions, status: number];

const STATUSES: readonly Case[] = [
  ['login without credentials', 'POST', '/api/2/auth/bob/login.json', {}, 401],
  ['the same feed in add and remove', 'POST', DELTA, { auth, body: { add: [A], remove: [A] } }, 400],
  ['unparsable OPML', 'PUT', `${LIST}.opml`, { auth, body: '<opml' }, 400],
  ['unparsable JSON', 'PUT', `${LIST}.json`, { auth, body: '[' }, 400],
  ['an unknown format', 'GET', `${LIST}.yaml`, { auth }, 400],
  ['an invalid user, download', 'GET', '/subscriptions/eve/phone.json', { auth }, 401],
  ['an invalid user, upload', 'PUT', '/subscriptions/eve/phone.json', { auth, body: [A] }, 401],
  ['no podcast with this URL', 'GET', `/api/2/data/podcast.json?url=${A}`, {}, 404],
  ['an invalid device id', 'GET', '/subscriptions/bob/unknown.json', { auth }, 404],
  ['a list of an unknown user', 'GET', '/api/2/lists/nobody/list/mine.json', {}, 404],
  ['an unknown list', 'GET', '/api/2/lists/bob/list/mine.json', {}, 404],
  ['a list is created', 'POST', '/api/2/lists/bob/create.json?title=My%20List', { auth, body: [A] }, 303],
  ['a whole list is uploaded', 'PUT', `${LIST}.json`, { auth, body: [A] }, 200],
];

const LIMITS: readonly Case[] = [
  ['toplist 0', 'GET', '/toplist/0.json', {}, 400],
  ['toplist 1', 'GET', '/toplist/1.json', {}, 200],
  ['toplist 100', 'GET', '/toplist/100.json', {}, 200],
  ['toplist 101', 'GET', '/toplist/101.json', {}, 400],
  ['suggestions 0', 'GET', '/suggestions/0.json', { auth }, 400],
  ['suggestions 1', 'GET', '/suggestions/1.json', { auth }, 200],
  ['suggestions 100', 'GET', '/suggestions/100.json', { auth }, 200],
  ['suggestions 101', 'GET', '/suggestions/101.json', { auth }, 400],
  ['scale_logo 0', 'GET', '/toplist/5.json?scale_logo=0', {}, 400],
  ['scale_logo 1', 'GET', '/toplist/5.json?scale_logo=1', {}, 200],
  ['scale_logo 256', 'GET', '/toplist/5.xml?scale_logo=256', {}, 200],
  ['scale_logo 257', 'GET', '/toplist/5.json?scale_logo=257', {}, 400],
  ['since 0', 'GET', `${DELTA}?since=0`, { auth }, 200],
];

describe.each(TARGETS)('statuses and limits (%s)', (target) => {
  it.each([...STATUSES, ...LIMITS])('%s: %s %s', async (_name, method, path, options, status) => {
    const { request } = await openTestServer({}, target);
    const answer = await request(method, path, options);
    const text = await answer.text();
    expect(answer.status, text).toBe(status);
    if (status >= 400) expect(text, 'an error says what was wrong').toMatch(/[a-z]{2}/);
    if (status === 200 && method === 'PUT') expect(answer.headers.get('content-length') ?? '0').toBe('0');
    if (status === 303) expect(answer.headers.get('location')).toMatch(/\/api\/2\/lists\/bob\/list\/my-list\.json$/);
  });

  it('400 for the cookie of another user, at login and logout', async () => {
    const server = await openTestServer({}, target);
    const cookie = await logIn(server, 'eve');
    for (const action of ['login', 'logout']) {
      expect((await server.request('POST', `/api/2/auth/bob/${action}.json`, { cookie })).status).toBe(400);
    }
  });

  it('409 for a second list of one name', async () => {
    const { request } = await openTestServer({}, target);
    const create = (title: string): Promise<Response> =>
      request('POST', `/api/2/lists/bob/create.txt?title=${title}`, { auth, body: A });
    expect((await create('My%20List')).status).toBe(303);
    expect((await create('my--LIST!')).status).toBe(409);
  });

  it.each([
    ['ftp://example.org/feed', ''],
    ['HTTP://example.org/feed', 'http://example.org/feed'],
  ])('the scheme of %s', async (submitted, rewritten) => {
    const { request } = await openTestServer({}, target);
    const subscription = await request('POST', DELTA, { auth, body: { add: [submitted], remove: [] } });
    expect(await subscription.json()).toMatchObject({ update_urls: [[submitted, rewritten]] });
    const action = { podcast: A, episode: submitted, action: 'new' };
    const upload = await request('POST', '/api/2/episodes/bob.json', { auth, body: [action] });
    expect(await upload.json()).toMatchObject({ update_urls: [[submitted, rewritten]] });
  });

  it('no characters outside ASCII in episode uploads', async () => {
    const { request } = await openTestServer({}, target);
    const action = { podcast: A, episode: 'http://example.org/ä.mp3', action: 'new' };
    const upload = await request('POST', '/api/2/episodes/bob.json', { auth, body: [action] });
    expect(await upload.json()).toMatchObject({ update_urls: [['http://example.org/ä.mp3', '']] });
    const { actions } = (await (await request('GET', '/api/2/episodes/bob.json', { auth })).json()) as {
      actions: unknown[];
    };
    expect(actions).toEqual([]);
  });
});
