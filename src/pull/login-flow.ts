import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Seconds } from '../domain/types.ts';
import { pageUrl } from '../feeds/links.ts';
import { readBody } from '../feeds/response-body.ts';
import { ADDRESS_TIMEOUT } from '../feeds/ssrf-guard.ts';
import { invalidFormat, toObject, toText } from './lenient-json.ts';
import { RemoteError, toRemoteError } from './remote-error.ts';

interface LoginOptions {
  /** http(s) address of the Nextcloud, without a trailing slash. */
  address: string;
  /** Shown on the page where the user grants access. */
  userAgent: string;
  /** Shows the link that the user opens in a browser. */
  show(link: string): void;
  /** Replaceable in tests: waits before each poll. */
  wait?(seconds: Seconds): Promise<unknown>;
  /** Replaceable in tests: a clock with any start. */
  now?(): Seconds;
}

/** Nextcloud waits as long. */
const TIMEOUT: Seconds = 20 * 60;
const POLL_INTERVAL: Seconds = 2;
/** For one whole response. */
const REQUEST_TIMEOUT: Seconds = 60;
/** Bytes; a response is a few hundred. */
const MAX_RESPONSE = 100_000;

/**
 * Gets an app password from a Nextcloud, after the user has granted access in a browser (login flow v2). Failed polls are
 * repeated. Rejects with a RemoteError if the login cannot be started, or access is not granted within 20 minutes.
 */
export async function logInToNextcloud({
  address,
  userAgent,
  show,
  wait = pause,
  now = () => performance.now() / 1000,
}: LoginOptions): Promise<{ user: string; password: string }> {
  const { host } = new URL(address);
  const dispatcher = new Agent({ connect: { autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT } });
  const post = async (url: string, body: string): Promise<{ status: number; answer: unknown }> => {
    const headers = { 'user-agent': userAgent, 'content-type': 'application/x-www-form-urlencoded' };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT * 1000);
    const reply = await request(url, { dispatcher, method: 'POST', headers, body, signal }).catch((error: unknown) => {
      throw toRemoteError(host, error, REQUEST_TIMEOUT);
    });
    const answer = await readBody(reply.body, '', MAX_RESPONSE)
      .then((bytes): unknown => JSON.parse(new TextDecoder().decode(bytes))) // without a byte order mark
      .catch(() => undefined);
    return { status: reply.statusCode, answer };
  };

  const begun = await post(`${address}/index.php/login/v2`, '');
  if (begun.status !== 200) {
    throw new RemoteError(`${host} answered ${begun.status} instead of starting a Nextcloud login; check the address`);
  }
  const { poll, login } = toObject(begun.answer, 'a login');
  const { token } = toObject(poll, 'a login');
  // The response names the same path, but this URL makes sure that the token is not sent to another server.
  const url = `${address}/index.php/login/v2/poll`;
  // As a URL: other text could control the terminal.
  const link = pageUrl(toText(login), address);
  if (link === '') throw invalidFormat('a login');
  show(link);
  let failure: unknown;
  for (const end = now() + TIMEOUT; now() < end;) {
    await wait(POLL_INTERVAL);
    failure = undefined;
    // The connection may be lost for a while.
    const reply = await post(url, `token=${toText(token)}`).catch((error: unknown) => void (failure = error));
    if (reply?.status !== 200) continue;
    const { loginName, appPassword } = toObject(reply.answer, 'a login');
    return { user: toText(loginName), password: toText(appPassword) };
  }
  throw failure ?? new RemoteError(`access was not granted on ${host} within 20 minutes`);
}

const pause = (seconds: Seconds): Promise<unknown> => setTimeout(seconds * 1000);
