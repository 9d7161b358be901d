import { type Call, type Device, toBatches, since } from './client.ts';
import { Library } from './library.ts';

const APPS = '/index.php/apps/gpoddersync';

/** What an app sends as `since` in its next sync. */
export type NextSince =
  /** AntennaPod: its own clock after an upload, else the mark. */
  | 'clock after upload'
  /** GNOME Podcasts: its own clock at the start of the sync. */
  | 'clock at start'
  /** Cardo: its own clock at the end of the sync. */
  | 'clock at end'
  /** Kasts: the mark of each answer plus one, also to an upload, kept as soon as it is received. */
  | 'mark plus one';

interface NextcloudApp {
  name: string;
  /** App password. */
  password: string;
  nextSince: NextSince;
  /** The clock of the app, seconds. */
  clock(): number;
}

/** An app of the Nextcloud dialect, which has its own clock. */
export function createNextcloudApp({ name, password, nextSince, clock }: NextcloudApp): Device {
  const library = new Library();
  let subscriptionsSince = 0;
  let episodesSince = 0;

  function* pull(path: string, mark: number): Generator<Call, any, any> {
    return yield { method: 'GET', path: since(APPS + path, mark) };
  }
  const next = (started: number, mark: number, hasPushed: boolean): number => {
    if (nextSince === 'clock at start') return started;
    if (nextSince === 'mark plus one') return mark + 1;
    return nextSince === 'clock after upload' && hasPushed ? clock() : mark;
  };

  function* syncSubscriptions(started: number): Generator<Call, void, any> {
    const isFirst = subscriptionsSince === 0;
    const pulled: any = yield* pull('/subscriptions', subscriptionsSince);
    library.apply(pulled);
    let mark = pulled.timestamp;
    if (nextSince === 'mark plus one') subscriptionsSince = mark + 1;
    const queued = library.changes;
    const add = isFirst ? [...library.subscriptions].filter((feed) => !pulled.add.includes(feed)) : queued.add;
    const hasChanges = add.length > 0 || queued.remove.length > 0;
    if (hasChanges) {
      const body = { add, remove: queued.remove };
      mark = (yield { method: 'POST', path: `${APPS}/subscription_change/create`, body }).timestamp;
      library.markChangesUploaded(queued);
    }
    if (nextSince !== 'clock at end') subscriptionsSince = next(started, mark, hasChanges);
  }

  function* syncEpisodes(started: number): Generator<Call, void, any> {
    const pulled: any = yield* pull('/episode_action', episodesSince);
    let mark = pulled.timestamp;
    if (nextSince === 'mark plus one') episodesSince = mark + 1;
    const queued = library.actions;
    for (const batch of toBatches(queued, 30)) {
      mark = (yield { method: 'POST', path: `${APPS}/episode_action/create`, body: batch }).timestamp;
    }
    library.markActionsUploaded(queued);
    if (nextSince !== 'clock at end') episodesSince = next(started, mark, queued.length > 0);
  }

  return {
    name,
    library,
    sendsPassword: 'always',
    auth: `bob:${password}`,
    *sync() {
      const started = clock();
      yield* syncSubscriptions(started);
      yield* syncEpisodes(started);
      if (nextSince === 'clock at end') subscriptionsSince = episodesSince = clock();
    },
  };
}
