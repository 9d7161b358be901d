import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

const collect = runInNewContext('gc') as () => void;

/**
 * Collects garbage, so that only memory that is still in use is measured. Twice, because from Node 24 on a cache of what
 * regular expressions and `split` found keeps the searched texts until the second collection.
 */
export function collectGarbage(): void {
  collect();
  collect();
}
