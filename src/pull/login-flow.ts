import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import type { Seconds } from '../domain/types.ts';
import { RemoteError } from './failure.ts';
import { toObject, toText } from './shapes.ts';

interface LoginOptions {
  /** Where the Nextcloud is: http(s), without a slash at the end. */
  address: string;
  /** Named on the page where the user grants access. */
  userAgent: string;
  /** Shows the link that the user opens in a browser. */
  show(link: string): void;
  /** Replaceable in tests: waits before each poll. */
  wait?(seconds: Seconds): Promise<unknown>;
}

/** As long as a Nextcloud waits. */
const LIFE: Seconds = 20 * 60;
const PAUSE: Seconds = 2;

/**
 * An app password on a Nextcloud, which its user grants in a browser (login flow v2). Rejects with a RemoteError, also
 * when nobody grants it within 20 minutes.
 */
export async function logInToNextcloud({
  address,
  userAgent,
  show,
  wait = pause,
}: LoginOptions): Promise<{ user: string; password: string }> {
  const { host } = new URL(address);
  const post = async (url: string, body: string): Promise<{ status: number; answer: unknown }> => {
    const headers = { 'user-agent': userAgent, 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await request(url, { method: 'POST', headers, body }).catch((error: unknown) => {
      throw new RemoteError(`${host}: ${(error as Error).message}`);
    });
    const answer = await reply.body.json().catch(() => undefined);
    return { status: reply.statusCode, answer };
  };

  const begun = await post(`${address}/index.php/login/v2`, '');
  if (begun.status !== 200) {
    throw new RemoteError(`${host} answered ${begun.status} where a Nextcloud begins a login; check the address`);
  }
  const { poll, login } = toObject(begun.answer, 'a login');
  const { token } = toObject(poll, 'a login');
  // The endpoint that comes with it names the same path; asked for here, the token goes to no other server.
  const url = `${address}/index.php/login/v2/poll`;
  show(toText(login));
  for (let waited = 0; waited < LIFE; waited += PAUSE) {
    await wait(PAUSE);
    const { status, answer } = await post(url, `token=${toText(token)}`);
    if (status !== 200) continue;
    const { loginName, appPassword } = toObject(answer, 'a login');
    return { user: toText(loginName), password: toText(appPassword) };
  }
  throw new RemoteError(`nobody granted access on ${host} within 20 minutes`);
}

const pause = (seconds: Seconds): Promise<unknown> => setTimeout(seconds * 1000);
