import type { SubscriptionChange, Url } from '../../src/plugin.ts';

/** Of the rows of one URL the place that it was first added at: a stamp, and below it the place in the upload. */
export const FIRST_ADDED = 'min((first_stamp << 20) + first_place)';

/** What a user subscribes to on any device, in the order first added, each URL once. */
export const SUBSCRIPTIONS = `
  SELECT url FROM subscriptions WHERE user_id = @user AND subscribed
  GROUP BY url ORDER BY ${FIRST_ADDED}`;

/** One range of an index: the cost follows what has changed. */
export const SUBSCRIPTIONS_SINCE = `
  SELECT url, subscribed FROM subscriptions
  WHERE user_id = @user AND device = @device AND stamp >= @since ORDER BY stamp, place`;

/** What it takes to make a list equal `urls`, and what changes nothing. */
export function toChanges(current: readonly Url[], urls: readonly Url[]): SubscriptionChange[] {
  const wanted = new Set(urls);
  const gone = current.filter((url) => !wanted.has(url));
  return [...gone.map((url) => ({ url, subscribed: false })), ...urls.map((url) => ({ url, subscribed: true }))];
}
