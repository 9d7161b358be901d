import manifest from 'podsync/package.json' with { type: 'json' };
import { MEDIA_TYPES } from '../formats/format.ts';
import type { Services } from '../services/services.ts';
import type { Handler } from './route.ts';

/**
 * For proxies and service managers: 200 and the version while the storage responds, even with a full disk, which only
 * blocks uploads.
 */
export const createHealthRoute =
  ({ ping }: Pick<Services, 'ping'>): Handler =>
  async () => {
    await ping();
    return { type: MEDIA_TYPES.txt, body: `ok\npodsync ${manifest.version}\n` };
  };
