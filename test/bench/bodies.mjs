import { gzipSync } from 'node:zlib';

/** Maximum size of a body, in bytes. */
const MAX = 16 * 1024 * 1024;
/** Maximum number of feeds in one upload. */
const FEEDS = 20_000;
/** Maximum number of actions in one upload. */
const ACTIONS = 100_000;

const range = (count, make) => Array.from({ length: count }, (_, index) => make(index));
/** Repeats a part as often as it fits between `before` and `after`. */
const filled = (part, before = '', after = '', max = MAX) =>
  before + part.repeat(Math.floor((max - before.length - after.length) / part.length)) + after;

const feed = (kind, index, length = 0) =>
  `https://${kind}.example.org/show-${index}/feed.xml`.padEnd(length, '-long').slice(0, length || undefined);
const feeds = (kind, count, length) => range(count, (index) => feed(kind, index, length));

const opml = (urls, description = '') =>
  `<opml version="2.0"><body>${urls.map((url) => `<outline type="rss" text="A show" description="${description}" xmlUrl="${url}"/>`).join('\n')}</body></opml>`;

/** `shows`: the number of feeds that they belong to. */
const actions = (kind, shows, more) =>
  range(ACTIONS, (index) => ({
    podcast: feed(kind, index % shows),
    episode: `https://m.example.org/${kind}/${index}`,
    action: 'new',
    ...more(index),
  }));
const at = (seconds) => new Date(Date.UTC(2025, 0, 1, 0, 0, seconds)).toISOString().slice(0, 19);

const form = (user, password, text) =>
  new URLSearchParams({
    action: 'update-subscriptions',
    protocol: '0',
    username: user,
    password,
    opml: text,
  }).toString();
const multipart = (user, password, text) =>
  ['action', 'protocol', 'username', 'password', 'opml']
    .map((name, index) => {
      const value = ['update-subscriptions', '0', user, password, text][index];
      const file = name === 'opml' ? '; filename="x.opml"' : '';
      return `--zz\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
    })
    .join('') + '--zz--\r\n';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=zz' };
const GZIP = { 'content-encoding': 'gzip' };
const packed = (text) => gzipSync(text);

/**
 * The most expensive body of each kind that a user can send: a name, a method, a path, a function that creates the body
 * (each has megabytes, so one at a time), and headers. One user sends them one after another.
 *
 * @returns {[name: string, method: string, path: string, body: () => string | Buffer, headers?: object][]}
 */
export function createBodies(user, password) {
  const list = (format) => `/subscriptions/${user}/phone.${format}`;
  const delta = `/api/2/subscriptions/${user}/phone.json`;
  const episodes = `/api/2/episodes/${user}.json`;
  const settings = `/api/2/settings/${user}/account.json`;
  const json = (value) => () => JSON.stringify(value());
  return [
    ['list of 20,000 feeds, JSON of 16 MiB', 'PUT', list('json'), json(() => feeds('a', FEEDS, 830))],
    ['list of 20,000 other feeds, text of 16 MiB', 'PUT', list('txt'), () => feeds('b', FEEDS, 830).join('\n')],
    ['OPML of 20,000 other feeds', 'PUT', list('opml'), () => opml(feeds('c', FEEDS))],
    ['OPML of 16 MiB', 'PUT', list('opml'), () => opml(feeds('d', 10_000), 'Every week. '.repeat(130))],
    ['no feeds any more', 'PUT', list('json'), () => '[]'],
    ['delta of 20,000 feeds', 'POST', delta, json(() => ({ add: feeds('e', FEEDS, 800) }))],
    ['delta that removes them', 'POST', delta, json(() => ({ remove: feeds('e', FEEDS, 800) }))],
    ['delta of feeds to rewrite', 'POST', delta, json(() => ({ add: feeds('f', FEEDS).map((url) => ` ${url} ü`) }))],
    [
      'feeds with hosts outside ASCII',
      'PUT',
      list('json'),
      json(() => range(FEEDS, (index) => `https://${'ü'.repeat(240)}${index}.example.org/`)),
    ],
    ['delta of version 1', 'POST', `/api/1/subscriptions/${user}/phone.json`, json(() => ({ add: feeds('g', FEEDS) }))],
    ['gzip of 16 MiB of list', 'PUT', list('json'), () => packed(JSON.stringify(feeds('h', FEEDS, 830))), GZIP],
    ['gzip of 16 MiB of blanks', 'PUT', list('json'), () => packed(' '.repeat(MAX)), GZIP],
    ['gzip of 16 MiB of OPML', 'PUT', list('opml'), () => packed(opml(feeds('d', 10_000), 'Week. '.repeat(260))), GZIP],
    ['no feeds again', 'PUT', list('json'), () => '[]'],
    [
      '100,000 actions on one feed',
      'POST',
      episodes,
      json(() => actions('i', 1, (index) => ({ timestamp: at(index) }))),
    ],
    ['100,000 actions of one time', 'POST', episodes, json(() => actions('j', 1, () => ({ timestamp: at(7) })))],
    ['the same again', 'POST', episodes, json(() => actions('j', 1, () => ({ timestamp: at(7) })))],
    ['100,000 actions on 20,000 feeds', 'POST', episodes, json(() => actions('k', FEEDS, () => ({})))],
    [
      '100,000 actions to rewrite',
      'POST',
      episodes,
      json(() => actions('l', 1, () => ({})).map((action) => ({ ...action, podcast: ` ${action.podcast}` }))),
    ],
    [
      '100,000 actions of which the last is wrong',
      'POST',
      episodes,
      json(() => [...actions('m', 1, () => ({})).slice(1), 7]),
    ],
    ['100,000 actions of version 1', 'POST', `/api/1/episodes/${user}.json`, json(() => actions('n', 1, () => ({})))],
    ['settings of one value of 16 MiB', 'POST', settings, () => filled('x', '{"set":{"a":"', '"}}')],
    ['settings of 50,000 values', 'POST', settings, json(() => ({ set: { a: range(49_990, () => 1) } }))],
    [
      'settings of 40,000 keys',
      'POST',
      settings,
      json(() => ({ set: Object.fromEntries(range(40_000, (index) => [`key-${index}`.padEnd(250, '.'), 1])) })),
    ],
    [
      'settings of 1,000 keys and long values',
      'POST',
      settings,
      json(() => ({ set: Object.fromEntries(range(1000, (index) => [`key-${index}`, 'x'.repeat(4000)])) })),
    ],
    [
      'removal of 40,000 settings',
      'POST',
      settings,
      json(() => ({ remove: range(40_000, (index) => `key-${index}`) })),
    ],
    [
      'device with a caption of 16 MiB',
      'POST',
      `/api/2/devices/${user}/phone.json`,
      () => filled('x', '{"caption":"', '"}'),
    ],
    [
      'groups of 40,000 devices',
      'POST',
      `/api/2/sync-devices/${user}.json`,
      json(() => ({ synchronize: range(20_000, (index) => [`a${index}`, `b${index}`]) })),
    ],
    [
      'podcast list of 1,000 feeds',
      'POST',
      `/api/2/lists/${user}/create.json?title=Mine`,
      json(() => feeds('o', 1000, 8000)),
    ],
    ['podcast list of 20,000 feeds', 'PUT', `/api/2/lists/${user}/list/mine.opml`, () => opml(feeds('o', FEEDS))],
    ['form of OPML', 'POST', '/upload', () => form(user, password, opml(feeds('p', 14_000))), FORM],
    [
      'multipart form of OPML',
      'POST',
      '/upload',
      () => multipart(user, password, opml(feeds('q', 20_000), 'x'.repeat(70))),
      MULTIPART,
    ],
    ['form of one field of 4 MiB of escapes', 'POST', '/upload', () => filled('%41', 'opml=', '', MAX / 4), FORM],
    ['form of a million fields', 'POST', '/upload', () => filled('&a', 'a=', '', MAX / 4), FORM],
    ['opening brackets', 'POST', episodes, () => filled('[')],
    ['objects in each other', 'POST', settings, () => filled('{"a":')],
    ['empty arrays', 'POST', episodes, () => filled('[],', '[', '[]]')],
    [
      'empty arrays, in each other',
      'POST',
      episodes,
      () => `[${filled('[', '', '', 900)}${filled(']', '', '', 900)}${filled(',[]', '', '', MAX - 1900)}]`,
    ],
    ['numbers', 'POST', episodes, () => filled('0,', '[', '0]')],
    ['one long number', 'POST', episodes, () => filled('9', '[', ']')],
    ['one long string', 'PUT', list('json'), () => filled('x', '["', '"]')],
    ['one long string of escapes', 'PUT', list('json'), () => filled('\\u00e9', '["', '"]')],
    ['one key again and again', 'POST', settings, () => filled('"a":1,', '{"set":{', '"a":1}}')],
    [
      'keys that are numbers',
      'POST',
      settings,
      () => `{"set":{${range(1_200_000, (index) => `"${index * 7919}":1`).join(',')}}}`,
    ],
    [
      'one thousand fields an action',
      'POST',
      episodes,
      json(() => range(100, () => Object.fromEntries(range(9000, (index) => [`k${index}`, 1])))),
    ],
    ['an unfinished list', 'PUT', list('json'), () => filled('"https://example.org/",', '[')],
    ['bytes outside UTF-8', 'PUT', list('json'), () => Buffer.alloc(MAX, 0xe9)],
    ['letters outside ASCII', 'PUT', list('json'), () => filled('é', '["', '"]', MAX / 2)],
    ['lines of text', 'PUT', list('txt'), () => filled('a\n')],
    ['empty lines', 'PUT', list('txt'), () => filled('\n')],
    ['one long line', 'PUT', list('txt'), () => filled('a', 'http://')],
    ['brackets as OPML', 'PUT', list('opml'), () => filled('<')],
    ['elements in each other', 'PUT', list('opml'), () => filled('<outline>', '<opml><body>')],
    ['attributes', 'PUT', list('opml'), () => filled('a="" ', '<opml ', '></opml>')],
    ['entities', 'PUT', list('opml'), () => filled('&amp;', '<opml><body><outline text="', '"/></body></opml>')],
    ['an OPML with a long comment', 'PUT', list('opml'), () => filled('-', '<opml><body/><!--', '--></opml>')],
    ['a doctype', 'PUT', list('opml'), () => filled('<!DOCTYPE a>')],
    ['long addresses of one feed', 'PUT', list('json'), json(() => range(2000, () => `http://${'a@'.repeat(4000)}`))],
  ];
}
