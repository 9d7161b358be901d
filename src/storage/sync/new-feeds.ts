import type { Seconds, UserId } from '../../domain/types.ts';
import type { Core } from '../accounts/core.ts';
import { unlessMissing } from '../errors.ts';
import type { Head } from '../accounts/head.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';

/** New feeds that an account may add to the directory per day (UTC). */
export const MAX_NEW_FEEDS_PER_DAY = 2000;

const DAY: Seconds = 86_400;
const dayOf = (now: Seconds): number => Math.floor(now / DAY);

/** How many new feeds an account may still add today. */
export const newFeedsLeft = ({ newFeeds }: Head, now: Seconds): number =>
  MAX_NEW_FEEDS_PER_DAY - (newFeeds?.day === dayOf(now) ? newFeeds.count : 0);

/** The change of the head when feeds were added. */
export function withNewFeeds(head: Head, added: number, now: Seconds): Pick<Head, 'newFeeds'> {
  if (added === 0) return {};
  return { newFeeds: { day: dayOf(now), count: MAX_NEW_FEEDS_PER_DAY - newFeedsLeft(head, now) + added } };
}

/** Adds the pending feeds of an account to the directory, up to the daily limit. */
export async function addPendingFeeds(
  { accounts, directory, context }: Core,
  user: UserId,
  isPending: (digest: UrlDigest) => boolean,
): Promise<void> {
  await unlessMissing(
    accounts.write(user, async (account) => {
      const { head } = account;
      const newFeeds = newFeedsLeft(head, context.now());
      const list = newFeeds > 0 ? (await accounts.part(account, 'subscriptions')).union() : [];
      const pending = list.filter((url) => isPending(urlDigest(url)));
      if (pending.length === 0) return { result: undefined };
      const change = await directory.prepare(user, { pending, newFeeds });
      const headChange = withNewFeeds(head, change.newFeeds, context.now());
      return { result: undefined, write: { head: headChange, directory: change } };
    }),
  );
}
