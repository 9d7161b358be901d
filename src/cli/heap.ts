import { setFlagsFromString } from 'node:v8';

/**
 * How far the heap may grow beyond the memory in use before it is collected, in percent. V8 would let it grow to four
 * times that during large uploads, imports and exports.
 */
const HEAP_GROWTH = 60;

/** Call it when the storage is open: with the limit, a directory of 20,000 podcasts takes a fifth longer to load. */
export const limitHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
