import { setTimeout } from 'node:timers/promises';
import type { Podsync, PodsyncOptions, PodsyncParts } from '../podsync.ts';
import { isStorageError } from '../storage/errors.ts';
import { findControlSocket } from './control-place.ts';
import { requireOwnFolder } from './data-folder.ts';

/** How long another command is waited for. Milliseconds. */
const PATIENCE = 10_000;
const BETWEEN_TRIES = 100;

/** podsync in this process, or the path of the control socket of a server that has its data folder. */
type Opened = { podsync: Podsync } | { socket: string };

/**
 * Opens podsync, unless a server runs on its data folder. A storage that is busy without a server is another command
 * at work, or a server that starts: that is waited for, up to `patience` milliseconds. Rejects as `openPodsync` does.
 */
export async function openOrReach(
  options: PodsyncOptions,
  { patience = PATIENCE, ...parts }: PodsyncParts & { patience?: number } = {},
): Promise<Opened> {
  const deadline = performance.now() + patience;
  for (;;) {
    const socket = await findControlSocket(options.data);
    if (socket !== undefined) return { socket };
    await requireOwnFolder(options.data);
    try {
      const { openPodsync } = await import('../podsync.ts');
      return { podsync: await openPodsync(options, parts) };
    } catch (error) {
      if (!isStorageError(error, 'busy') || performance.now() >= deadline) throw error;
    }
    await setTimeout(BETWEEN_TRIES);
  }
}
