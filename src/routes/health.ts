import manifest from 'podsync/package.json' with { type: 'json' };
import { MEDIA_TYPES } from '../formats/format.ts';
import type { Services } from '../services/services.ts';
import type { Handler } from './route.ts';

/**
 * For proxies and service managers: 200 and the version while the storage responds, even with a full disk, which only
 * blocks uploads. With scheduled backups, another line has the age of the newest one.
 */
export const createHealthRoute =
  ({ ping, backups }: Pick<Services, 'ping' | 'backups'>): Handler =>
  async () => {
    await ping();
    const lines = ['ok', `podsync ${manifest.version}`];
    if (backups) {
      const age = backups.age();
      lines.push(`last backup: ${age === undefined ? 'none' : `${age} seconds ago`}`);
    }
    return { type: MEDIA_TYPES.txt, body: `${lines.join('\n')}\n` };
  };
