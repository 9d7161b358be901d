import { type Client, isAnswer } from './client.ts';

export const MAX_CONNECTIONS = 10;

interface Slot {
  client: Promise<Client>;
  /** The same, once it is connected; never set if it is the connection of another slot. */
  own?: Client;
  /** Number of running statements. */
  running: number;
}

/**
 * Connections that run several statements each, one after the other. The number of statements is not limited here: that
 * of requests is.
 */
export function createPool(connect: () => Promise<Client>) {
  const slots = new Set<Slot>();
  const byLoad = (): Slot[] => [...slots].toSorted((a, b) => a.running - b.running);

  /** The connection with the fewest statements; a new one if all are busy and the pool is not full. */
  const pick = (): Slot => {
    for (const slot of slots) if (slot.own?.isLost) slots.delete(slot);
    const [best] = byLoad();
    if (best && (best.running === 0 || slots.size === MAX_CONNECTIONS)) return best;
    const connected = connect().then((client) => (slot.own = client));
    const slot: Slot = { client: connected.catch(share), running: 0 };
    slots.add(slot);
    return slot;
  };

  /** The connection of another slot if the server refuses one more. */
  const share = (error: unknown): Client => {
    const other = byLoad().find(({ own }) => own && !own.isLost)?.own;
    if (!other || !isAnswer(error)) throw error;
    return other;
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
        if (slot.running === 0 && !slot.own) slots.delete(slot); // the next one tries to connect again
      }
    },
    /** To be called when no statement is running. */
    async close(): Promise<void> {
      await Promise.allSettled([...slots].map(async ({ client }) => (await client).end()));
    },
  };
}
