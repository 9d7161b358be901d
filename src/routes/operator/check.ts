import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { steps } from './steps.ts';

/** Reads everything that is stored, and tells what is damaged. */
export const createCheckRoute =
  ({ inspection }: Pick<Services, 'inspection'>): Handler =>
  () =>
    steps((progress) => inspection.run(progress));
