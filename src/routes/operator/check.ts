import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { progressReply } from './progress-reply.ts';

/** Reads all stored data, and reports what is damaged. */
export const createCheckRoute =
  ({ integrityCheck }: Pick<Services, 'integrityCheck'>): Handler =>
  () =>
    progressReply((progress) => integrityCheck.run(progress));
