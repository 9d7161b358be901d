import type { Seconds, Url, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Head } from '../accounts/head.ts';
import type { Core } from '../core.ts';
import { prepareChange } from '../directory/account-changes.ts';
import { unlessMissing } from '../errors.ts';

/** New feeds that an account may add to the directory per day (UTC). */
const MAX_NEW_FEEDS_PER_DAY = 2000;

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

/** Adds pending feeds to the directory, for each account up to the daily limit. */
export async function addPendingFeeds(core: Core): Promise<void> {
  const { accounts, addresses } = core.directory.memory;
  const users = new Set<UserId>();
  for (const address of addresses) {
    if (!address || address.canonical.podcast) continue;
    for (const number of address.subscribers.keys()) users.add(accounts[number]!.id);
  }
  for (const user of users) await unlessMissing(addPendingFeedsOf(core, user));
}

const addPendingFeedsOf = ({ accounts, directory, context }: Core, user: UserId): Promise<void> =>
  accounts.write(user, async (account) => {
    const { head } = account;
    const newFeeds = newFeedsLeft(head, context.now());
    const list = newFeeds > 0 ? await (await accounts.part(account, 'subscriptions')).union() : [];
    const pending: Url[] = [];
    await eachInSlices(list, (url) => directory.memory.find(url) ?? pending.push(url));
    if (pending.length === 0) return { result: undefined };
    const change = await prepareChange(directory, user, { pending, newFeeds });
    const headChange = withNewFeeds(head, change.newFeeds, context.now());
    return { result: undefined, write: { head: headChange, directory: change } };
  });
