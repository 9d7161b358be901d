import type { SettingScope } from './types.ts';

/** A piece of an account as another server tells it. Nothing in it is checked yet. */
export type Piece =
  | { kind: 'device'; device: string; caption: string; type: string }
  | { kind: 'subscriptions'; device: string; urls: string[] }
  /** Devices that follow each other. */
  | { kind: 'group'; devices: string[] }
  | { kind: 'actions'; actions: unknown[] }
  | { kind: 'settings'; scope: PieceScope; values: Record<string, unknown> }
  | { kind: 'list'; title: string; urls: string[] };

/** What settings are attached to (spec 2.9). */
export interface PieceScope {
  scope: SettingScope['kind'];
  device?: string;
  podcast?: string;
  episode?: string;
}

/** What became of a piece. Passwords in addresses are left out. */
export interface Taken {
  /** How many of what it holds: feeds, actions, keys; 1 for a device, a group or a list. */
  taken: number;
  /** What is stored under another name or address. */
  rewritten: { from: string; to: string }[];
  refused: { what: string; reason: string }[];
  /** What else was changed, a sentence for each case. */
  notes: string[];
}
