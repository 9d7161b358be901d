import type { Stamp } from '../../../src/old-plugin.ts';

/** The order of what one upload stores: its stamp, and the next free place in it. */
export interface Order {
  readonly stamp: Stamp;
  next(): number;
}
