import type { JsonObject } from './json.ts';
import type { SettingScope } from './types.ts';

/** A part of an account, as another server returned it. Nothing in it has been validated yet. */
export type ImportChunk =
  | { kind: 'device'; device: string; caption: string; type: string }
  | { kind: 'subscriptions'; device: string; urls: string[] }
  /** Devices that share their subscriptions. */
  | { kind: 'group'; devices: string[] }
  | { kind: 'actions'; actions: unknown[] }
  | { kind: 'settings'; scope: ImportScope; values: JsonObject }
  | { kind: 'list'; title: string; urls: string[] };

/** What settings belong to (spec 2.9). */
export interface ImportScope {
  scope: SettingScope['kind'];
  device?: string;
  podcast?: string;
  episode?: string;
}

/** The result of importing a chunk. Passwords in URLs are left out. */
export interface ImportResult {
  /** Number of imported feeds, actions or keys; 1 for a device, a group or a list. */
  imported: number;
  /** What was stored under another name or URL. */
  rewritten: { from: string; to: string }[];
  refused: { what: string; reason: string }[];
  /** Other changes, one sentence each. */
  notes: string[];
}
