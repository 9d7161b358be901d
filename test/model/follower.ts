import { changesPath, type Client, episodesPath, since } from './client.ts';
import type { Delta } from './library.ts';

/** Only reads: the changes of each device, replayed into its list, and all episode actions. */
export interface Follower extends Client {
  readonly lists: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Uses every mark unchanged, or plus one as Kasts does. */
export function createFollower(devices: readonly string[], plus: 0 | 1): Follower {
  const lists = new Map(devices.map((device) => [device, new Set<string>()]));
  const marks = new Map<string, number>();

  return {
    name: `follower-${plus}`,
    sendsPassword: 'always',
    lists,
    *sync() {
      for (const [device, list] of lists) {
        const pulled = yield { method: 'GET', path: since(changesPath(device), marks.get(device) ?? 0) };
        marks.set(device, pulled.timestamp + plus);
        replay(list, pulled);
      }
      const pulled = yield { method: 'GET', path: since(episodesPath, marks.get('') ?? 0) };
      marks.set('', pulled.timestamp + plus);
    },
  };
}

function replay(list: Set<string>, { add, remove }: Delta): void {
  for (const feed of remove) list.delete(feed);
  for (const feed of add) list.add(feed);
}
