import { type Client, isAnswer } from './client.ts';

export const MAX_CONNECTIONS = 10;

interface Slot {
  client: Promise<Client>;
  /** Set while it is connected. */
  connected?: Client;
  /** Number of running statements. */
  running: number;
  /** The connection belongs to another slot. */
  isShared: boolean;
}

/**
 * Connections that run several statements each, one after the other. The number of statements is not limited here: that
 * of requests is.
 */
export function createPool(connect: () => Promise<Client>) {
  const slots = new Set<Slot>();
  const byLoad = (): Slot[] => [...slots].toSorted((a, b) => a.running - b.running);

  const open = (): Slot => {
    const slot: Slot = { client: connect().catch((error) => share(slot, error)), running: 0, isShared: false };
    slots.add(slot);
    slot.client.then(
      (client) => (slot.connected = client),
      () => slots.delete(slot),
    );
    return slot;
  };

  /** Uses the connection of another slot if the server refuses one more. */
  const share = (slot: Slot, error: unknown): Client => {
    const { connected } = byLoad().find((each) => each.connected && !each.isShared) ?? {};
    if (!connected || !isAnswer(error)) throw error;
    slot.isShared = true;
    return connected;
  };

  /** The connection with the fewest statements; a new one if all are busy and the pool is not full. */
  const pick = (): Slot => {
    for (const slot of slots) if (slot.connected?.isLost) slots.delete(slot);
    const [best] = byLoad();
    return best && (best.running === 0 || slots.size === MAX_CONNECTIONS) ? best : open();
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
        if (slot.isShared && slot.running === 0) slots.delete(slot); // the server may have a free connection now
      }
    },
    /** To be called when no statement is running. */
    async close(): Promise<void> {
      await Promise.allSettled([...slots].map(async ({ client }) => (await client).end()));
    },
  };
}
