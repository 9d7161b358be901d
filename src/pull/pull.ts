import type { ImportChunk, ImportResult } from '../domain/import-chunk.ts';
import { readAccount } from './account.ts';
import type { PullEvents } from './api-client.ts';
import type { Remote } from './remote.ts';

/** The result of a pull. As a pull can be repeated, data that existed before is counted, too. */
export interface PullReport {
  devices: number;
  subscriptions: number;
  actions: number;
  settings: number;
  lists: number;
  groups: number;
  rewritten: ImportResult['rewritten'];
  refused: ImportResult['refused'];
  notes: { note: string; count: number }[];
  /** What the other server did not return, and why. */
  gaps: { gap: string; count: number }[];
}

const COUNTERS = {
  device: 'devices',
  subscriptions: 'subscriptions',
  actions: 'actions',
  settings: 'settings',
  list: 'lists',
  group: 'groups',
} as const satisfies Record<ImportChunk['kind'], keyof PullReport>;

/**
 * Copies an account from another server: passes each chunk to `importChunk`. Importing a chunk twice must be safe, as
 * an interrupted pull is repeated from the beginning. Rejects like `read` and `importChunk`.
 */
export async function pullAccount(
  remote: Remote,
  importChunk: (chunk: ImportChunk) => Promise<ImportResult>,
  onProgress: PullEvents['onProgress'] = () => undefined,
  read: typeof readAccount = readAccount,
): Promise<PullReport> {
  const counts = { devices: 0, subscriptions: 0, actions: 0, settings: 0, lists: 0, groups: 0 };
  const rewritten = new Map<string, ImportResult['rewritten'][number]>();
  const refused = new Map<string, ImportResult['refused'][number]>();
  const notes = new Map<string, number>();
  const gaps = new Map<string, number>();
  for await (const chunk of read(remote, { onGap: (gap) => count(gaps, gap), onProgress })) {
    const result = await importChunk(chunk);
    counts[COUNTERS[chunk.kind]] += result.imported;
    for (const pair of result.rewritten) rewritten.set(pair.from, pair);
    for (const each of result.refused) refused.set(JSON.stringify(each), each);
    for (const note of result.notes) count(notes, note);
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
