import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage, so that only memory that is still in use is measured. */
export const collectGarbage = runInNewContext('gc') as () => void;
