import { countOf } from '../../domain/count.ts';
import type { Log, Storage } from '../../storage/stores.ts';
import { createSchedule, type Schedule } from './schedule.ts';

/** Milliseconds. */
const DAY = 86_400_000;

/** The daily work of a server. */
export function createMaintenance(
  { sessions, users, podcasts }: Pick<Storage, 'sessions' | 'users' | 'podcasts'>,
  log: Log,
): Schedule {
  const run = async (): Promise<void> => {
    try {
      await sessions.deleteExpired();
      await users.removeAbandoned();
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
  return createSchedule(run, DAY);
}
