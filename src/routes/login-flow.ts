import { MAX_BODY } from '../body-limits.ts';
import { Refusal } from '../domain/errors.ts';
import { readText } from '../http/body.ts';
import { readApp, readQuery } from '../http/input.ts';
import { publicBase } from '../http/origin.ts';
import { json } from '../http/reply.ts';
import { authorizePage } from '../pages/parts/links.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';

export const POLL_PATH = '/index.php/login/v2/poll';

/** Login flow v2 of Nextcloud: see `services/accounts/login-flow.ts`. It needs no login; the link opens a page. */
export function createLoginFlowRoutes(
  { loginFlow }: Pick<Services, 'loginFlow'>,
  { origin }: RouteContext,
): Record<'begin' | 'poll', Handler> {
  return {
    begin(event) {
      const base = publicBase(event, origin);
      const { poll, link } = loginFlow.begin(readApp(event));
      return json({ poll: { token: poll, endpoint: base + POLL_PATH }, login: authorizePage(base, link) });
    },

    async poll(event) {
      const body = await readText(event, MAX_BODY.loginPoll);
      // Nextcloud also reads parameters from the query, where Podium sends the token.
      const granted = await loginFlow.fetch(readToken(body) || (readQuery(event, 'token') ?? ''));
      if (!granted) throw new Refusal('missing', 'access was not granted yet, or this token has expired');
      const { user, appPassword } = granted;
      return json({ server: publicBase(event, origin), loginName: user.name, appPassword });
    },
  };
}

/** The token in a form or JSON, whatever the Content-Type; empty if there is none. */
function readToken(body: string): string {
  if (!body.trimStart().startsWith('{')) return new URLSearchParams(body.trim()).get('token') ?? '';
  try {
    const { token } = JSON.parse(body) as { token?: unknown };
    return typeof token === 'string' ? token : '';
  } catch {
    return '';
  }
}
