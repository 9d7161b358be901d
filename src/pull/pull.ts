import type { Piece, Taken } from '../domain/piece.ts';
import { readAccount } from './account.ts';
import type { Listener } from './asker.ts';
import type { Remote } from './remote.ts';

/** What a pull came to. What was there before counts as taken, too: a pull may be run again. */
export interface PullReport {
  devices: number;
  subscriptions: number;
  actions: number;
  settings: number;
  lists: number;
  groups: number;
  rewritten: Taken['rewritten'];
  refused: Taken['refused'];
  notes: { note: string; count: number }[];
  /** What the other server did not give, and why. */
  gaps: { gap: string; count: number }[];
}

const COUNTED = {
  device: 'devices',
  subscriptions: 'subscriptions',
  actions: 'actions',
  settings: 'settings',
  list: 'lists',
  group: 'groups',
} as const satisfies Record<Piece['kind'], keyof PullReport>;

/**
 * Takes an account over from another server: hands each piece to `take`. Every piece can be taken twice, so that a pull
 * that was broken off is run again from the beginning and duplicates nothing. Rejects as `read` and `take` do.
 */
export async function pullAccount(
  remote: Remote,
  take: (piece: Piece) => Promise<Taken>,
  progress: Listener['step'] = () => undefined,
  read: typeof readAccount = readAccount,
): Promise<PullReport> {
  const counts = { devices: 0, subscriptions: 0, actions: 0, settings: 0, lists: 0, groups: 0 };
  const rewritten = new Map<string, Taken['rewritten'][number]>();
  const refused = new Map<string, Taken['refused'][number]>();
  const notes = new Map<string, number>();
  const gaps = new Map<string, number>();
  for await (const piece of read(remote, { gap: (gap) => count(gaps, gap), step: progress })) {
    const taken = await take(piece);
    counts[COUNTED[piece.kind]] += taken.taken;
    for (const pair of taken.rewritten) rewritten.set(pair.from, pair);
    for (const each of taken.refused) refused.set(JSON.stringify(each), each);
    for (const note of taken.notes) count(notes, note);
  }
  return {
    ...counts,
    rewritten: [...rewritten.values()],
    refused: [...refused.values()],
    notes: Array.from(notes, ([note, times]) => ({ note, count: times })),
    gaps: Array.from(gaps, ([gap, times]) => ({ gap, count: times })),
  };
}

const count = (counts: Map<string, number>, sentence: string): void =>
  void counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
