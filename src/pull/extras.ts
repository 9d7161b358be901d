import type { Piece, PieceScope } from '../domain/piece.ts';
import type { Asker } from './asker.ts';
import type { Found } from './devices.ts';
import { toObject, toObjects, toText, toUrls } from './shapes.ts';

/**
 * Settings of the account, its devices, the podcasts that it subscribes to, and its favorite episodes: of others nobody
 * can know that they have any.
 */
export async function* readSettings({ user, askFor, expect }: Asker, { devices, feeds }: Found): AsyncIterable<Piece> {
  const read = (what: string, { scope, ...query }: PieceScope) =>
    askFor(`settings of ${what}`, ['api', '2', 'settings', user, `${scope}.json`], query, (answer) =>
      toObject(answer, 'settings'),
    );
  const favorites = await askFor('favorite episodes', ['api', '2', 'favorites', `${user}.json`], {}, toEpisodes);
  const account = await read('the account (others were not asked for)', { scope: 'account' });
  if (account) yield { kind: 'settings', scope: { scope: 'account' }, values: account };

  const scopes = [
    ...devices.map((device) => ['devices', { scope: 'device', device }] as const),
    ...Array.from(feeds, (podcast) => ['podcasts', { scope: 'podcast', podcast }] as const),
  ];
  if (account) expect(scopes.length + (favorites?.length ?? 0));
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
  toObjects(answer, 'favorite episodes').map(({ podcast_url: podcast, url }) => ({
    podcast: toText(podcast),
    episode: toText(url),
  }));

/** Podcast lists, as far as they can be read. */
export async function* readLists({ user, askFor, expect }: Asker): AsyncIterable<Piece> {
  const lists = await askFor('podcast lists', ['api', '2', 'lists', `${user}.json`], {}, (answer) =>
    toObjects(answer, 'podcast lists').map(({ name, title }) => ({ name: toText(name), title: toText(title) })),
  );
  expect(lists?.length ?? 0);
  for (const { name, title } of lists ?? []) {
    const what = `the podcast list ${title || name}`;
    const path = ['api', '2', 'lists', user, 'list', `${name}.json`];
    const urls = await askFor(what, path, {}, (answer) => toUrls(answer, what));
    if (urls) yield { kind: 'list', title: title || name, urls };
  }
}
