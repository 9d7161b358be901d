import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { Refusal, type RefusalCode } from '../../domain/errors.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { RefusedRequest, Storage } from '../../storage/stores.ts';
import { storedAppName } from './app-name.ts';

/** How often the same refusal is recorded: clients send a refused batch again and again. */
const RECORDED_EVERY: Seconds = 3600;

/** Refused requests of an account's apps: they show its owner and the operator why an app does not sync. */
export interface Refusals {
  record(user: UserId, requester: Requester, reasons: readonly string[]): Promise<void>;
  /** The newest 20, the newest first. */
  all(user: UserId): Promise<RefusedRequest[]>;
}

/** The app whose request was refused. */
type Requester = Pick<RefusedRequest, 'device' | 'app' | 'dialect'>;

/** Errors of the request itself, rather than of its login or rate. */
const RECORDED: ReadonlySet<RefusalCode> = new Set(['invalid', 'conflict', 'too-large']);

export const isRecorded = (error: unknown): error is Refusal => error instanceof Refusal && RECORDED.has(error.code);

/** Of one request. */
const MAX_REASONS = 5;

export function createRefusals({ refusals, settings }: Pick<Storage, 'refusals' | 'settings'>, now: Clock): Refusals {
  const recorded = new LRUCache<string, Seconds>(atMost(10_000));

  return {
    async record(user, { device, app, dialect }, reasons) {
      for (const reason of reasons.slice(0, MAX_REASONS)) {
        const key = JSON.stringify([user, device, dialect, reason]);
        if ((recorded.get(key) ?? -Infinity) + RECORDED_EVERY > now()) continue;
        recorded.set(key, now());
        try {
          const kept = await storedAppName(settings, user, app);
          await refusals.add(user, { at: now(), reason, ...(device !== undefined && { device }), app: kept, dialect });
        } catch (error) {
          if (!isStorageError(error)) throw error; // the response to the app matters more
        }
      }
    },

    all: (user) => refusals.all(user),
  };
}
