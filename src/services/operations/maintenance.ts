import { countOf } from '../../domain/count.ts';
import type { Log, PodcastStore } from '../../storage/stores.ts';
import type { Sessions } from '../accounts/sessions.ts';

/** Milliseconds. */
const DAY = 86_400_000;

/** What a server does once a day. */
export interface Maintenance {
  /** Does it now, and daily from then on, in the background. */
  start(): void;
  /** Resolves when nothing of it is under way. */
  stop(): Promise<void>;
}

export function createMaintenance(
  sessions: Pick<Sessions, 'sweep'>,
  podcasts: Pick<PodcastStore, 'bringWaiting' | 'rebuildToplist' | 'removeUnused'>,
  log: Log,
): Maintenance {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async (): Promise<void> => {
    try {
      await sessions.sweep();
      await podcasts.bringWaiting();
      const { corrected } = await podcasts.rebuildToplist();
      if (corrected > 0) {
        log('warn', `the subscribers of ${countOf(corrected, 'podcast')} were counted wrong; that is corrected`);
      }
      await podcasts.removeUnused();
    } catch (error) {
      log('warn', `the daily maintenance could not be done: ${(error as Error).message}`);
    }
  };
  const next = (): void => {
    running = running.then(run);
  };

  return {
    start() {
      next();
      timer = setInterval(next, DAY).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
