import type { Seconds, UserId } from '../domain/types.ts';
import type { Core } from './core.ts';
import { unlessMissing } from './account-errors.ts';
import type { Head } from './head.ts';
import { type UrlDigest, urlDigest } from './keys.ts';

/** New feeds that an account may add to the directory per day (UTC). */
export const MAX_NEW_FEEDS_PER_DAY = 2000;

const DAY: Seconds = 86_400;
const dayOf = (now: Seconds): number => Math.floor(now / DAY);

/** How many new feeds an account may still add today. */
export const newFeedsLeft = ({ broughtFeeds: [day, count] = [0, 0] }: Head, now: Seconds): number =>
  day === dayOf(now) ? MAX_NEW_FEEDS_PER_DAY - count : MAX_NEW_FEEDS_PER_DAY;

/** The head after adding new feeds. */
export function withNewFeeds(head: Head, brought: number, now: Seconds): Pick<Head, 'broughtFeeds'> {
  if (brought === 0) return {};
  return { broughtFeeds: [dayOf(now), MAX_NEW_FEEDS_PER_DAY - newFeedsLeft(head, now) + brought] };
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
      const brought = withNewFeeds(head, change.newFeeds, context.now());
      return { result: undefined, write: { head: brought, directory: change } };
    }),
  );
}
