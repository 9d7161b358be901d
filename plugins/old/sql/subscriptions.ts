import type { SubscriptionChange, Url } from '../../../src/old-plugin.ts';

/** Where a URL was first added, of all its rows: the stamp, and in the lower bits the place in the upload. */
export const FIRST_ADDED = 'min((first_stamp << 20) + first_place)';

/** What a user subscribes to on any device, in the order first added, each URL once. */
export const SUBSCRIPTIONS = `
  SELECT url FROM subscriptions WHERE user_id = @user AND subscribed
  GROUP BY url ORDER BY ${FIRST_ADDED}`;

/** One range of an index: the cost follows what has changed. */
export const SUBSCRIPTIONS_SINCE = `
  SELECT url, subscribed FROM subscriptions
  WHERE user_id = @user AND device = @device AND stamp >= @since ORDER BY stamp, place`;

/** Changes that make a list equal `urls`; some of them may change nothing. */
export function toChanges(current: readonly Url[], urls: readonly Url[]): SubscriptionChange[] {
  const wanted = new Set(urls);
  const gone = current.filter((url) => !wanted.has(url));
  return [...gone.map((url) => ({ url, subscribed: false })), ...urls.map((url) => ({ url, subscribed: true }))];
}
