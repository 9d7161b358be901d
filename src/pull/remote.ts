import { setTimeout } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { findExcess } from '../domain/json.ts';
import type { Seconds } from '../domain/types.ts';
import { ENCODINGS, readBody } from '../feeds/response-body.ts';
import { ADDRESS_TIMEOUT } from '../feeds/ssrf-guard.ts';
import { RemoteError, toRemoteError, toStatusError } from './remote-error.ts';

interface RemoteOptions {
  /** http(s) address of the server, without a trailing slash. */
  address: string;
  user: string;
  password: string;
  /** `podsync/VERSION`. */
  userAgent: string;
  /** Replaceable in tests: waits before a retry. Rejects when the signal is aborted. */
  wait?(seconds: Seconds, signal: AbortSignal): Promise<unknown>;
}

type Answer = Dispatcher.ResponseData & { origin: string };

/** Read-only access to an account on another gpodder-compatible server. */
export interface Remote {
  user: string;
  /**
   * The JSON at a path, whose segments are encoded here. Once a request has succeeded, later ones are retried after
   * temporary failures. Rejects with a RemoteError.
   */
  get(path: readonly string[], query?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Aborts pending requests. */
  close(): Promise<void>;
}

/** For one whole response, and for each pause in it: some servers need minutes for a long history. */
const TIMEOUT: Seconds = 600;
const READ_TIMEOUT: Seconds = 180;
/** Bytes, both compressed and decompressed: some two million episode actions. */
const MAX_RESPONSE = 400_000_000;
/** Of the body of an error. */
const MAX_MESSAGE = 10_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Without a session, gpodder2go answers 401 (version 0.2.0: 400), and PodFetch before 5.1 answers 403. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);
/** Pause before each retry. */
const RETRY_DELAYS: readonly Seconds[] = [2, 10, 30];
/** No retry if the server asks for a longer pause. */
const MAX_DELAY: Seconds = 120;

/** Connects to any address, even a private one: the operator has chosen it. */
export function openRemote({ address, user, password, userAgent, wait = pause }: RemoteOptions): Remote {
  const agent = new Agent({
    connect: { autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT },
    headersTimeout: READ_TIMEOUT * 1000,
    bodyTimeout: READ_TIMEOUT * 1000,
  });
  const closing = new AbortController();
  const headers = {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    accept: 'application/json',
    'accept-encoding': ENCODINGS,
    'user-agent': userAgent,
  };
  let hasSucceeded = false;
  /** The cookie of a login. It is sent only to the origin that set it. */
  let session: { origin: string; cookie: string } | undefined;

  const toUrl = (path: readonly string[]): URL =>
    new URL(`${address}/${path.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`);

  /** The response after all redirects, and where it comes from. The password is never sent to another server. */
  async function follow(start: URL, method: 'GET' | 'POST' = 'GET'): Promise<Answer> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT * 1000)]);
    let url = start;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const cookie = url.origin === session?.origin && { cookie: session.cookie };
      const answer = await request(url, { dispatcher: agent, method, signal, headers: { ...headers, ...cookie } });
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') return { ...answer, origin: url.origin };
      await answer.body.dump();
      url = targetOf(url, location);
    }
    throw new RemoteError(`${start.host} redirects more than ${MAX_REDIRECTS} times`);
  }

  /**
   * The response, after a login if the server refuses the first request: some accept the password only there, and then
   * want the session cookie (spec 4.1). No login otherwise: on goPodder, it would end the session of an app, and on a
   * server that asks for the password, a wrong one would count twice.
   */
  async function followLoggedIn(url: URL): Promise<Answer> {
    const answer = await follow(url);
    const asksForPassword = /\bbasic\b/i.test(`${answer.headers['www-authenticate']}`);
    if (hasSucceeded || asksForPassword || !REFUSALS.has(answer.statusCode)) return answer;
    await answer.body.dump();
    const login = await follow(toUrl(['api', '2', 'auth', user, 'login.json']), 'POST').catch(() => undefined);
    await login?.body.dump();
    const cookies = [login?.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0]);
    if (login?.statusCode !== 200 || cookies.length === 0) return login?.statusCode === 401 ? login : answer;
    session = { origin: login.origin, cookie: cookies.join('; ') };
    return follow(url);
  }

  async function getOnce(url: URL): Promise<unknown> {
    const { statusCode, headers: received, body } = await followLoggedIn(url);
    const encoding = `${received['content-encoding'] ?? ''}`;
    if (statusCode !== 200) {
      const message = await readBody(body, encoding, MAX_MESSAGE).then(toText, () => '');
      throw toStatusError(url.host, statusCode, { message, retryAfter: received['retry-after'] });
    }
    const bytes = await readBody(body, encoding, MAX_RESPONSE);
    return parse(toText(bytes), url.host);
  }

  async function getWithRetries(url: URL): Promise<unknown> {
    for (let retries = 0; ; retries++) {
      try {
        return await getOnce(url);
      } catch (error) {
        const failure = toRemoteError(url.host, error, TIMEOUT);
        const delay = Math.max(RETRY_DELAYS[retries] ?? Infinity, failure.retryAfter);
        const mayRetry = hasSucceeded && failure.isTemporary && !closing.signal.aborted;
        if (!mayRetry || delay > MAX_DELAY) throw failure;
        await wait(delay, closing.signal);
      }
    }
  }

  return {
    user,
    async get(path, query = {}) {
      const url = toUrl(path);
      url.search = new URLSearchParams(query).toString();
      const answer = await getWithRetries(url);
      hasSucceeded = true;
      return answer;
    },
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
}

const pause = (seconds: Seconds, signal: AbortSignal): Promise<unknown> =>
  setTimeout(seconds * 1000, undefined, { signal });

/** Allows the same origin and http to https on the same host. Anywhere else, somebody else may get the password. */
function targetOf(from: URL, location: string): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isUpgrade = from.protocol === 'http:' && target?.protocol === 'https:' && target.hostname === from.hostname;
  if (target && (target.origin === from.origin || isUpgrade)) return target;
  const place = target && /^https?:$/.test(target.protocol) ? target.origin : 'an address that is not http(s)';
  throw new RemoteError(
    `${from.host} redirects to ${place}, and the password is not sent there; if that is the right server, use its address`,
  );
}

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

function parse(text: string, host: string): unknown {
  if (text.trim() === '') throw new RemoteError(`${host} returned an empty response`);
  try {
    if (!findExcess(text, Infinity)) return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // handled below
  }
  throw new RemoteError(`${host} does not respond like a gpodder-compatible server: the response is not JSON`);
}
