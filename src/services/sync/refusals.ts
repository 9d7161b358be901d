import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { Refusal, type RefusalCode } from '../../domain/errors.ts';
import type { Dialect, Seconds, UserId } from '../../domain/types.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { RefusedRequest, Storage } from '../../storage/stores.ts';
import { cutAppName } from './app-name.ts';

/** How often the same refusal is recorded: clients send a refused batch again and again. */
const NOTED_EVERY: Seconds = 3600;

/** Refused requests of an account's apps: they show its owner and the operator why an app does not sync. */
export interface Refusals {
  note(user: UserId, sender: Sender, reasons: readonly string[]): Promise<void>;
  /** The newest 20, the newest first. */
  all(user: UserId): Promise<RefusedRequest[]>;
}

interface Sender {
  device?: string | undefined;
  /** `User-Agent`. */
  app: string;
  dialect: Dialect;
}

/** Errors of the request itself, rather than of its login or rate. */
const NOTED: ReadonlySet<RefusalCode> = new Set(['invalid', 'conflict', 'too-large']);

export const isNoted = (error: unknown): error is Refusal => error instanceof Refusal && NOTED.has(error.code);

/** Of one request. */
const MAX_REASONS = 5;

export function createRefusals({ refusals, settings }: Pick<Storage, 'refusals' | 'settings'>, now: Clock): Refusals {
  const noted = new LRUCache<string, Seconds>({ max: 10_000 });

  return {
    async note(user, { device, app, dialect }, reasons) {
      for (const reason of reasons.slice(0, MAX_REASONS)) {
        const key = JSON.stringify([user, device, dialect, reason]);
        if ((noted.get(key) ?? -Infinity) + NOTED_EVERY > now()) continue;
        noted.set(key, now());
        try {
          const { store_user_agent: isKept } = await settings.get(user, { kind: 'account' });
          const kept = isKept === false ? '' : cutAppName(app);
          await refusals.add(user, { at: now(), reason, ...(device !== undefined && { device }), app: kept, dialect });
        } catch (error) {
          if (!isStorageError(error)) throw error; // the response to the app matters more
        }
      }
    },

    all: (user) => refusals.all(user),
  };
}
