import { markAfter, markAfterUpload, nextStamp, type Stamp, type UserId } from '../../../src/old-plugin.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import type { Directory } from './directory.ts';
import type { Order } from './order.ts';
import type { Stamps } from './stamps.ts';
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
export type StoreUpload = (
  connection: Connection,
  upload: Upload,
  store: (order: Order) => Promise<boolean>,
) => Promise<Stamp>;

/** To be called inside a write: the time, the stamp and the mark belong together. */
export function createUpload(
  database: Database,
  stamps: Stamps,
  directory: Directory,
  devices: Devices,
  subscriptions: SubscriptionTable,
): StoreUpload {
  const { overlap } = database.context;
  const look = database.prepare<{ oldest: Stamp | null; unknown: string | null }>(
    `SELECT (
       SELECT min(stamp) FROM uploads
       WHERE user_id = @user AND at > @since AND (@origin::text IS NULL OR origin IS DISTINCT FROM @origin)
     ) AS oldest, (
       SELECT json_agg(named.id ORDER BY n) FROM unnest(@named::text[]) WITH ORDINALITY AS named(id, n)
       WHERE NOT EXISTS (SELECT 1 FROM devices WHERE user_id = @user AND devices.id = named.id)
     )::text AS unknown`,
  );
  // Of one origin in one second the first will do.
  const keep = database.prepare(
    `WITH forgotten AS (
       DELETE FROM uploads WHERE user_id = @user AND at <= @since
     ), noted AS (
       INSERT INTO uploads (user_id, stamp, at, origin) SELECT @user, @stamp, @at::bigint, @origin::text
       WHERE NOT EXISTS (
         SELECT 1 FROM uploads WHERE user_id = @user AND at = @at AND origin IS NOT DISTINCT FROM @origin
       )
     )
     UPDATE users SET stamp = @stamp WHERE id = @user`,
  );

  return async (connection, { user, devices: named, origin }, store) => {
    const { at, last } = await stamps.holdUser(connection, user);
    const stamp = nextStamp(at, last);
    const order: Order = { stamp, at, place: 0, changed: new Set() };
    // Sent together, done one after the other: where one fails, so do those after it.
    const [found, isNews] = await Promise.all([
      look.get(connection, { user, named, since: at - overlap, origin }),
      store(order),
    ]);
    const overlapped = found!.oldest ?? undefined;
    const unknown = JSON.parse(found!.unknown ?? '[]') as string[];
    await devices.create(connection, user, unknown);
    const before = await subscriptions.count(connection, user, unknown);
    const isJoined =
      (await devices.joinAll(connection, user, unknown)) &&
      (await subscriptions.unite(connection, user, await devices.groups(connection, user), order));
    const areBroughtNews = isJoined && (await subscriptions.count(connection, user, unknown)) > before;
    if (!isNews && !isJoined) return markAfterUpload(markAfter(last), overlapped);

    await directory.follow(connection, user, [...order.changed]);
    // A new device has yet to hear what the others brought it, so for all that comes after, another device sent this.
    const sender = areBroughtNews ? undefined : origin;
    keep.send(connection, { user, stamp, at, since: at - overlap, origin: sender });
    return markAfterUpload(areBroughtNews ? stamp - 1 : markAfter(stamp), overlapped);
  };
}
