import { expect } from 'vitest';
import type { TestServer } from '../../server.ts';
import { APPS, basic, FEED, media } from './connection.ts';

/* Any app of the Nextcloud dialect, signed in as bob. */

/** An app that sends these headers; each answer must be 200. */
export function openApp({ request }: TestServer, headers: Record<string, string>, apps = APPS) {
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await request(method, apps + path, { headers, body });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/json');
    return answer.json();
  };
  return {
    pull: (since: number) => call('GET', `/subscriptions?since=${since}`),
    push: (add: unknown[], remove: unknown[] = []) => call('POST', '/subscription_change/create', { add, remove }),
    pullActions: (since: number) => call('GET', `/episode_action?since=${since}`),
    pushActions: (actions: unknown[]) => call('POST', '/episode_action/create', actions),
  };
}

export async function createAppPassword({ services }: TestServer, label: string): Promise<string> {
  const { id } = await services.administration.find('bob');
  return services.appPasswords.create(id, label);
}

/** An app with the password of the account. */
export const openOwn = (server: TestServer) => openApp(server, { authorization: basic('bob', 'secret') });

/** An app with an app password of its own. */
export const openWith = async (server: TestServer, label: string) =>
  openApp(server, { authorization: basic('bob', await createAppPassword(server, label)) });

/** A play as these apps write it, with the given fields replaced. */
export const play = (episode: string, fields: object = {}) => ({
  podcast: FEED,
  episode: media(episode),
  guid: episode,
  action: 'PLAY',
  timestamp: '2023-11-14T20:00:00',
  started: 0,
  position: 60,
  total: 600,
  ...fields,
});
