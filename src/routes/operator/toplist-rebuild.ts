import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';

/** Counts the subscribers of all podcasts again. */
export const createToplistRebuildRoute =
  ({ directory }: Pick<Services, 'directory'>): Handler =>
  async () =>
    json(await directory.rebuildToplist());
