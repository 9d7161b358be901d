import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { steps } from './steps.ts';

/** Reads everything that is stored, and tells what is damaged. */
export const createCheckRoute =
  ({ integrityCheck }: Pick<Services, 'integrityCheck'>): Handler =>
  () =>
    steps((progress) => integrityCheck.run(progress));
