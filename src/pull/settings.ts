import type { ImportChunk, ImportScope } from '../domain/import-chunk.ts';
import type { ApiClient } from './api-client.ts';
import type { Discovered } from './devices.ts';
import { toObject, toObjects, toText } from './lenient-json.ts';

/**
 * Settings of the account, its devices, its subscribed podcasts and its favourite episodes. The interface cannot list
 * which other podcasts and episodes have settings.
 */
export async function* readSettings(
  { user, getOptional, expectRequests }: ApiClient,
  { devices, feeds }: Discovered,
): AsyncIterable<ImportChunk> {
  const read = (what: string, { scope, ...query }: ImportScope) => {
    const path = ['api', '2', 'settings', user, `${scope}.json`];
    return getOptional(`settings of ${what}`, path, (answer) => toObject(answer, 'settings'), query);
  };
  const favorites = await getOptional('favourite episodes', ['api', '2', 'favorites', `${user}.json`], toEpisodes);
  const account = await read('the account (no other settings were requested)', { scope: 'account' });
  if (account) yield { kind: 'settings', scope: { scope: 'account' }, values: account };

  const scopes = [
    ...devices.map((device) => ['devices', { scope: 'device', device }] as const),
    ...Array.from(feeds, (podcast) => ['podcasts', { scope: 'podcast', podcast }] as const),
  ];
  if (account) expectRequests(scopes.length + (favorites?.length ?? 0));
  for (const [what, scope] of account ? scopes : []) {
    const values = await read(what, scope);
    if (values) yield { kind: 'settings', scope, values };
  }
  for (const episode of favorites ?? []) {
    const scope = { scope: 'episode', ...episode } as const;
    const values = account && (await read('episodes', scope));
    yield { kind: 'settings', scope, values: { ...values, is_favorite: true } };
  }
}

const toEpisodes = (answer: unknown): { podcast: string; episode: string }[] =>
  toObjects(answer, 'favourite episodes').map(({ podcast_url: podcast, url }) => ({
    podcast: toText(podcast),
    episode: toText(url),
  }));
