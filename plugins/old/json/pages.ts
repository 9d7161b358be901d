import { setImmediate } from 'node:timers/promises';
import type { EpisodeAction } from '../../../src/old-plugin.ts';

/** Actions on a page: while one is made and written out, everybody else waits. */
const PAGE = 1000;

/** All of them, with room for others between the pages. None of these is empty. */
export async function* inPages<Action>(actions: Iterable<Action>): AsyncIterable<Action[]> {
  let page: Action[] = [];
  for (const action of actions) {
    page.push(action);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
    await setImmediate();
  }
  if (page.length > 0) yield page;
}

/** The latest action per podcast and episode: the newest by its own time, then the last uploaded. */
export async function* latestOf(pages: AsyncIterable<EpisodeAction[]>): AsyncIterable<EpisodeAction[]> {
  const latest = new Map<string, EpisodeAction>();
  for await (const page of pages) {
    for (const action of page) {
      const episode = JSON.stringify([action.podcast, action.episode]);
      const rival = latest.get(episode);
      if (rival && rival.timestamp > action.timestamp) continue;
      latest.delete(episode); // so that the order of the map is the order of upload
      latest.set(episode, action);
    }
  }
  yield* inPages(latest.values());
}
