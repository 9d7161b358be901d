import { countOf } from '../../domain/count.ts';
import type { Log, PodcastStore } from '../../storage/stores.ts';
import type { Sessions } from '../accounts/sessions.ts';

/** Milliseconds. */
const DAY = 86_400_000;

/** The daily work of a server. */
export interface Maintenance {
  /** Runs it now and then daily, in the background. */
  start(): void;
  /** Resolves when it is no longer running. */
  stop(): Promise<void>;
}

export function createMaintenance(
  sessions: Pick<Sessions, 'sweep'>,
  podcasts: Pick<PodcastStore, 'addPendingFeeds' | 'rebuildToplist' | 'removeUnused'>,
  log: Log,
): Maintenance {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async (): Promise<void> => {
    try {
      await sessions.sweep();
      await podcasts.addPendingFeeds();
      const { corrected } = await podcasts.rebuildToplist();
      if (corrected > 0) {
        log('warn', `wrong subscriber counts of ${countOf(corrected, 'podcast')} were corrected`);
      }
      await podcasts.removeUnused();
    } catch (error) {
      log('warn', `the daily maintenance failed: ${(error as Error).message}`);
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
