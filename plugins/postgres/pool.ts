import type { Client } from './client.ts';

export const MAX_CONNECTIONS = 10;

interface Slot {
  client: Promise<Client>;
  /** Number of running statements. */
  running: number;
}

/**
 * Connections that run several statements each, one after the other. The number of statements is not limited here: that
 * of requests is.
 */
export function createPool(connect: (onLost: () => void) => Promise<Client>) {
  const slots = new Set<Slot>();

  /** The connection with the fewest statements; a new one if all are busy and the pool is not full. */
  const pick = (): Slot => {
    const [best] = [...slots].toSorted((a, b) => a.running - b.running);
    if (best && (best.running === 0 || slots.size === MAX_CONNECTIONS)) return best;
    const remove = (): void => void slots.delete(slot);
    const slot: Slot = { client: connect(remove), running: 0 };
    slots.add(slot);
    slot.client.catch(remove);
    return slot;
  };

  return {
    /** Runs one statement. Statements of other callers may share the connection. */
    async use<T>(statement: (client: Client) => Promise<T>): Promise<T> {
      const slot = pick();
      slot.running += 1;
      try {
        return await statement(await slot.client);
      } finally {
        slot.running -= 1;
      }
    },
    /** To be called when no statement is running. */
    async close(): Promise<void> {
      await Promise.allSettled([...slots].map(async ({ client }) => (await client).end()));
    },
  };
}
