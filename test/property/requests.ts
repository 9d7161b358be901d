import fc from 'fast-check';
import type { Route } from '../../src/routes/route.ts';
import { type Body, bodyFor, toWire } from './bodies.ts';
import { device, nasty, plainText, text, url } from './text.ts';

/** A request that may be valid, malicious or random. */
export interface RandomRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The credentials: of bob, a cookie of bob, ... */
  login: 'bob' | 'session' | 'nobody' | 'wrong password' | 'mallory' | 'garbage';
  body: Body | undefined;
}

// ---- paths -----------------------------------------------------------------

/** Ways to write text into a path: encoded once, twice or not at all. */
const ENCODERS: Record<string, (text: string) => string> = {
  once: (text) => encodeURIComponent(text.toWellFormed()),
  twice: (text) => encodeURIComponent(encodeURIComponent(text.toWellFormed())),
  not: (text) => text.replace(/[/?#\\]/g, encodeURIComponent),
};
const encoder = fc.oneof(
  { weight: 8, arbitrary: fc.constant('once') },
  { weight: 1, arbitrary: fc.constantFrom('twice', 'not') },
);
const encoded = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(value, encoder).map(([text, name]) => ENCODERS[name]!(text));

const number = fc.oneof(fc.integer({ min: 1, max: 100 }).map(String), text);
const PLACEHOLDERS: Record<string, fc.Arbitrary<string>> = {
  user: fc.oneof(
    { weight: 20, arbitrary: fc.constant('bob') },
    { weight: 3, arbitrary: fc.constantFrom('BOB', 'eve', 'nobody', 'bob@example.org') },
    { weight: 1, arbitrary: text },
  ),
  device,
  scope: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('account', 'device', 'podcast', 'episode') }, text),
  name: fc.oneof(fc.constantFrom('a', 'my-phone'), text),
  number,
  count: number,
};

/** Usually the extension of the format, sometimes another one; nothing for a path without a format. */
const endingFor = (format: string): fc.Arbitrary<string> =>
  format === ''
    ? fc.constant('')
    : fc.oneof(
        { weight: 18, arbitrary: fc.constant(`.${format}`) },
        { weight: 1, arbitrary: fc.constantFrom('', '.', '.xml', '.jsonp', '.JSON', '.html', '.json.txt', '.json/') },
        { weight: 1, arbitrary: nasty.map((each) => `.${ENCODERS.once!(each)}`) },
      );

function pathFor(path: string, format: string): fc.Arbitrary<string> {
  const segments = path
    .split('/')
    .slice(1)
    .map((part) => (part.startsWith(':') ? encoded(PLACEHOLDERS[part.slice(1)] ?? text) : fc.constant(part)));
  const slash = fc.oneof({ weight: 12, arbitrary: fc.constant('/') }, { weight: 1, arbitrary: fc.constant('//') });
  return fc
    .tuple(slash, fc.tuple(...segments), endingFor(format))
    .map(([between, names, ending]) => `/${names.join(between)}${ending}`);
}

// ---- query strings ---------------------------------------------------------

const QUERY: Record<string, fc.Arbitrary<string>> = {
  since: fc.constantFrom('0', '1700000000', '1699999999.5', '99999999999999999999', '-1'),
  podcast: url,
  episode: url,
  url,
  device,
  aggregated: fc.constantFrom('true', 'FALSE', '1', 'maybe'),
  include_actions: fc.constantFrom('true', '0'),
  jsonp: fc.constantFrom('callback', 'a.b', 'alert(1)//'),
  title: plainText,
  scale_logo: fc.constantFrom('64', '0', '257'),
  q: text,
  flow: fc.constantFrom(`${'a'.repeat(43)}.sk0000.QQ`, 'x'),
};
/** All parameters of all paths; a path ignores those of others. */
const COMPLETE = new URLSearchParams({
  since: '0',
  podcast: 'http://example.org/feed',
  episode: 'http://example.org/1.mp3',
  url: 'http://example.org/feed',
  device: 'phone',
  aggregated: 'true',
  include_actions: 'true',
  jsonp: 'callback',
  scale_logo: '64',
  q: 'example',
  username: 'bob',
  password: 'secret',
});

const parameter = fc.oneof(
  ...Object.entries(QUERY).map(([name, value]) =>
    encoded(fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: text })).map((each) => `${name}=${each}`),
  ),
);
const query = fc.oneof(
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: plainText.map((title) => `?${COMPLETE}&title=${encodeURIComponent(title)}`) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof({ weight: 9, arbitrary: parameter }, { weight: 1, arbitrary: text }), { maxLength: 5 })
      .map((pairs) => `?${pairs.join('&')}`),
  },
);

// ---- headers ---------------------------------------------------------------

/** Header values are bytes, without those that `Request` refuses. */
const headerText = text.map((value) =>
  Buffer.from(value)
    .toString('latin1')
    .replace(/[\0\r\n]/g, ''),
);
const HEADERS: Record<string, fc.Arbitrary<string>> = {
  'content-type': fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/x-opml', 'x'),
  'accept-encoding': fc.constantFrom('gzip', 'br', 'gzip, br;q=0.5', '*', 'identity', 'gzip;q=x', ';;,,'),
  'content-encoding': fc.constantFrom('gzip', 'identity', 'deflate'),
  'if-none-match': fc.constantFrom('*', 'W/"x"', '"'),
  'user-agent': fc.constantFrom('AntennaPod/3.5.0', 'Kasts/24.8 Syndication', ''),
  'x-forwarded-for': fc.constantFrom('127.0.0.1', '<script>', ',,,'),
  'x-forwarded-proto': fc.constantFrom('https', 'javascript'),
  cookie: fc.constantFrom('csrf=known', 'sessionid=', 'sessionid=x; sessionid=y', 'csrf=\xe9'),
  origin: fc.constantFrom('https://evil.example', 'null'),
  'ocs-apirequest': fc.constant('true'),
};
const header = fc.oneof(
  ...Object.entries(HEADERS).map(([name, value]) =>
    fc.tuple(fc.constant(name), fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: headerText })),
  ),
);
const headers = fc.array(header, { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs));

const login = fc.oneof(
  { weight: 8, arbitrary: fc.constant<RandomRequest['login']>('bob') },
  {
    weight: 5,
    arbitrary: fc.constantFrom<RandomRequest['login'][]>('session', 'nobody', 'wrong password', 'mallory', 'garbage'),
  },
);
const GARBAGE = ['Basic', 'Basic %%%', 'Basic Og==', 'Basic /////w==', 'Bearer x', 'bAsIc  Ym9iOnNlY3JldA==', ':'];

/** Requests to one route, most of them with its own method, and about half with valid credentials. */
export const requestTo = ([method, path, formats]: Route): fc.Arbitrary<RandomRequest> =>
  fc.oneof(...(formats.length > 0 ? formats : ['']).map((format) => requestFor(method, path, format)));

const requestFor = (method: string, path: string, format: string): fc.Arbitrary<RandomRequest> =>
  fc
    .record({
      method: fc.oneof(
        { weight: 15, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'BREW') },
      ),
      path: fc.tuple(pathFor(path, format), query).map((parts) => parts.join('')),
      headers,
      login,
      garbage: fc.constantFrom(...GARBAGE),
      body: fc.option(bodyFor(`${path}.${format}`), { nil: undefined, freq: 8 }),
    })
    .map(({ garbage, ...request }) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const invalid = request.login === 'garbage' && { authorization: garbage };
      return { ...request, headers: { ...request.headers, ...invalid }, body: isRead ? undefined : request.body };
    });

const BASIC: Partial<Record<RandomRequest['login'], string>> = {
  bob: 'bob:secret',
  'wrong password': 'bob:guess',
  mallory: 'mallory:secret',
};

/** The request itself. `session` is a cookie of bob. */
export function toRequest({ method, path, headers, login, body }: RandomRequest, session: string): Request {
  const wire = body && toWire(body);
  const credentials = BASIC[login];
  return new Request(`http://localhost${path}`, {
    method,
    headers: {
      ...wire?.headers,
      ...headers,
      ...(credentials && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      ...(login === 'session' && { cookie: `sessionid=${session}` }),
    },
    ...(wire && { body: wire.sent }),
  });
}
