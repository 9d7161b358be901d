import { setImmediate } from 'node:timers/promises';

/** Few, because each may be looked up and have a long description. */
const PAGE = 5;

/** The items in pages, one turn of the event loop each, so that work on a long list does not block other requests. */
export async function* inPages<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[], void, undefined> {
  for (let start = 0; start < items.length; start += PAGE) {
    if (start > 0) await setImmediate();
    yield items.slice(start, start + PAGE);
  }
}
