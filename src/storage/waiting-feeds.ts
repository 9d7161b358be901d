import type { Seconds, UserId } from '../domain/types.ts';
import type { Core } from './core.ts';
import { unlessMissing } from './failures.ts';
import type { Head } from './head.ts';
import { type UrlDigest, urlDigest } from './keys.ts';

/** Feeds that an account may bring into the directory on one day, in UTC. */
export const NEW_FEEDS_A_DAY = 2000;

const DAY: Seconds = 86_400;
const dayOf = (now: Seconds): number => Math.floor(now / DAY);

/** How many feeds an account may still bring into the directory today. */
export const newFeedsLeft = ({ broughtFeeds: [day, count] = [0, 0] }: Head, now: Seconds): number =>
  day === dayOf(now) ? NEW_FEEDS_A_DAY - count : NEW_FEEDS_A_DAY;

/** The account has brought so many. */
export function withNewFeeds(head: Head, brought: number, now: Seconds): Pick<Head, 'broughtFeeds'> {
  if (brought === 0) return {};
  return { broughtFeeds: [dayOf(now), NEW_FEEDS_A_DAY - newFeedsLeft(head, now) + brought] };
}

/** Brings feeds that an account subscribes to and the directory does not know into it, as many as it may bring today. */
export async function bringWaiting(
  { accounts, directory, context }: Core,
  user: UserId,
  isWaiting: (digest: UrlDigest) => boolean,
): Promise<void> {
  await unlessMissing(
    accounts.write(user, async (account) => {
      const { head } = account;
      const newFeeds = newFeedsLeft(head, context.now());
      const list = newFeeds > 0 ? (await accounts.part(account, 'subscriptions')).union() : [];
      const waiting = list.filter((url) => isWaiting(urlDigest(url)));
      if (waiting.length === 0) return { result: undefined };
      const change = await directory.prepare(user, { waiting, newFeeds });
      const brought = withNewFeeds(head, change.newFeeds, context.now());
      return { result: undefined, write: { head: brought, directory: change } };
    }),
  );
}
