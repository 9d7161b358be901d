import { setTimeout } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { isTooDeep } from '../domain/nesting.ts';
import type { Seconds } from '../domain/types.ts';
import { ENCODINGS, readBody } from '../feeds/body.ts';
import { failedBy, RemoteError, refusedBy } from './failure.ts';

interface RemoteOptions {
  /** Where the server is: http(s), without a slash at the end. */
  address: string;
  user: string;
  password: string;
  /** `podsync/VERSION`. */
  userAgent: string;
  /** Replaceable in tests: waits before something is asked for again. Rejects when the signal says so. */
  wait?(seconds: Seconds, signal: AbortSignal): Promise<unknown>;
}

/** Another gpodder-compatible server, seen as one of its users. It is only read. */
export interface Remote {
  user: string;
  /**
   * The JSON at a path, whose segments are encoded here. Once anything was answered, passing trouble is waited for.
   * Rejects with a RemoteError.
   */
  get(path: readonly string[], query?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Ends what is under way, which then fails. */
  close(): Promise<void>;
}

/** For one answer in all, and for each silence in it: a long history takes some servers minutes. */
const TIMEOUT: Seconds = 600;
const SILENCE: Seconds = 180;
/** Bytes, on the wire and after inflation: some two million episode actions. */
const MAX_ANSWER = 400_000_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Before each further try. */
const PAUSES: readonly Seconds[] = [2, 10, 30];
/** A server that wants to be left alone for longer is not waited for. */
const LONGEST_PAUSE: Seconds = 120;

/** Connects to whatever address is named, private ones too: whoever runs podsync has named it. */
export function openRemote({ address, user, password, userAgent, wait = pause }: RemoteOptions): Remote {
  const agent = new Agent({ headersTimeout: SILENCE * 1000, bodyTimeout: SILENCE * 1000 });
  const closing = new AbortController();
  const headers = {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    accept: 'application/json',
    'accept-encoding': ENCODINGS,
    'user-agent': userAgent,
  };
  let hasAnswered = false;

  /** The answer at the end of all redirects, none of which leads the password to another server. */
  async function follow(start: URL): Promise<Dispatcher.ResponseData> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT * 1000)]);
    let url = start;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const answer = await request(url, { dispatcher: agent, signal, headers });
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') return answer;
      await answer.body.dump();
      url = targetOf(url, location);
    }
    throw new RemoteError(`${start.host} redirects more than ${MAX_REDIRECTS} times`);
  }

  async function getOnce(url: URL): Promise<unknown> {
    const { statusCode, headers: received, body } = await follow(url);
    if (statusCode !== 200) {
      await body.dump();
      throw refusedBy(url.host, statusCode, received['retry-after']);
    }
    const bytes = await readBody(body, `${received['content-encoding'] ?? ''}`, MAX_ANSWER);
    return parse(Buffer.from(bytes).toString(), url.host);
  }

  async function getPatiently(url: URL): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      try {
        return await getOnce(url);
      } catch (error) {
        const failure = failedBy(url.host, error, TIMEOUT);
        const seconds = Math.max(PAUSES[tries] ?? Infinity, failure.retryAfter);
        const isHopeless = !hasAnswered || !failure.isPassing || closing.signal.aborted;
        if (isHopeless || seconds > LONGEST_PAUSE) throw failure;
        await wait(seconds, closing.signal);
      }
    }
  }

  return {
    user,
    async get(path, query = {}) {
      const url = new URL(`${address}/${path.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`);
      url.search = new URLSearchParams(query).toString();
      const answer = await getPatiently(url);
      hasAnswered = true;
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

/** From http to https is fine; to another host or port, or back, is not: somebody else may listen there. */
function targetOf(from: URL, location: string): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isUpgrade = from.protocol === 'http:' && target?.protocol === 'https:' && target.hostname === from.hostname;
  if (target && (target.origin === from.origin || isUpgrade)) return target;
  const place = target && /^https?:$/.test(target.protocol) ? target.origin : 'no address of the web';
  throw new RemoteError(
    `${from.host} redirects to ${place}, and the password is not sent there; if that is the right server, give its address`,
  );
}

function parse(text: string, host: string): unknown {
  try {
    if (!isTooDeep(text)) return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // as below
  }
  throw new RemoteError(`${host} does not answer as a gpodder-compatible server does: this is no JSON`);
}
