import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { progressReply } from './progress-reply.ts';

/** The integrity of the stored data: `check` reads all of it, `rebuildToplist` counts all subscribers again. */
export const createIntegrityRoutes = ({
  integrityCheck,
  directory,
}: Pick<Services, 'integrityCheck' | 'directory'>): Record<'check' | 'rebuildToplist', Handler> => ({
  check: () => progressReply((progress) => integrityCheck.run(progress)),
  rebuildToplist: async () => json(await directory.rebuildToplist()),
});
