import {
  markAfter,
  markAfterUpload,
  nextStamp,
  type Seconds,
  type Stamp,
  type UserId,
} from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import type { Order } from './order.ts';
import type { SubscriptionTable } from './subscription-table.ts';

/** Who uploads, and from which device. */
export interface Upload {
  user: UserId;
  /** Devices it names; those that are unknown are created. */
  devices: readonly string[];
  /** See `originOf`. */
  origin: string | undefined;
}

/** Stores one upload with `store`, which answers whether anything is new: else it takes no stamp. Answers the mark. */
export type StoreUpload = (upload: Upload, store: (order: Order) => boolean) => Stamp;

/** To be called inside a write: the time, the stamp and the mark belong together. */
export function createUpload(database: Database, devices: Devices, subscriptions: SubscriptionTable): StoreUpload {
  const { now, overlap } = database.context;
  const oldest = database.prepare<{ stamp: Stamp | null }>(
    `SELECT min(stamp) AS stamp FROM uploads
     WHERE user_id = @user AND at > @since AND (@origin IS NULL OR origin IS NULL OR origin <> @origin)`,
  );
  const forget = database.prepare('DELETE FROM uploads WHERE user_id = @user AND at <= @since');
  // Of one origin in one second the first will do.
  const note = database.prepare(
    `INSERT INTO uploads (user_id, stamp, at, origin) SELECT @user, @stamp, @at, @origin
     WHERE NOT EXISTS (SELECT 1 FROM uploads WHERE user_id = @user AND at = @at AND origin IS @origin)`,
  );
  const setStamp = database.prepare('UPDATE users SET stamp = @stamp WHERE id = @user');

  const keep = (user: UserId, stamp: Stamp, at: Seconds, origin: string | undefined): void => {
    forget.run({ user, since: at - overlap });
    note.run({ user, stamp, at, origin: origin ?? null });
    setStamp.run({ user, stamp });
  };

  return ({ user, devices: named, origin }, store) => {
    const last = database.lastStamp(user);
    const at = now();
    const overlapped = oldest.get({ user, since: at - overlap, origin: origin ?? null })!.stamp ?? undefined;

    const stamp = nextStamp(at, last);
    let places = 0;
    const order = { stamp, next: () => places++ };
    const unknown = devices.create(user, named);
    const isNews = store(order);
    const before = subscriptions.count(user, unknown);
    const isJoined = devices.joinAll(user, unknown) && subscriptions.unite(user, devices.groups(user), order);
    const areBroughtNews = isJoined && subscriptions.count(user, unknown) > before;
    if (!isNews && !isJoined) return markAfterUpload(markAfter(last), overlapped);

    // A new device has yet to hear what the others brought it, so for all that comes after, another device sent this.
    keep(user, stamp, at, areBroughtNews ? undefined : origin);
    return markAfterUpload(areBroughtNews ? stamp - 1 : markAfter(stamp), overlapped);
  };
}
