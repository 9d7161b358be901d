import type { ImportChunk } from '../domain/import-chunk.ts';
import type { ApiClient } from './api-client.ts';
import { toObjects, toText, toUrls } from './lenient-json.ts';

/** Podcast lists. Those that cannot be read are reported as gaps. */
export async function* readLists({ user, getOptional, expectRequests }: ApiClient): AsyncIterable<ImportChunk> {
  const lists = await getOptional('podcast lists', ['api', '2', 'lists', `${user}.json`], (answer) =>
    toObjects(answer, 'podcast lists').map(({ name, title }) => ({ name: toText(name), title: toText(title) })),
  );
  expectRequests(lists?.length ?? 0);
  for (const { name, title } of lists ?? []) {
    const what = `the podcast list ${title || name}`;
    const path = ['api', '2', 'lists', user, 'list', `${name}.json`];
    const urls = await getOptional(what, path, (answer) => toUrls(answer, what));
    if (urls) yield { kind: 'list', title: title || name, urls };
  }
}
