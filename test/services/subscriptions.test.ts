import { expect, it } from 'vitest';
import type { SubscriptionChange, UserId } from '../../src/domain/types.ts';
import { createSubscriptions } from '../../src/services/sync/subscriptions.ts';
import { countTurns, useFastTime } from '../event-loop.ts';

it('other requests are answered while a long list is searched for a feed under its decoded address', async () => {
  const applied: (readonly SubscriptionChange[])[] = [];
  const items = Array.from({ length: 3000 }, (_, n) => ({ url: `http://f/%3A${n}`, subscribed: true }));
  const storage = {
    podcasts: { find: async (urls: readonly string[]) => urls.map(() => undefined) },
    subscriptions: {
      since: async () => ({ items, mark: 7 }),
      apply: async (_user: UserId, _devices: string[], changes: readonly SubscriptionChange[]) => {
        applied.push(changes);
        return 7;
      },
    },
  } as unknown as Parameters<typeof createSubscriptions>[0];
  const { upload } = createSubscriptions(storage, { keepCredentials: false });
  useFastTime();
  const { turns } = await countTurns(() => upload('bob' as UserId, 'phone', { add: [], remove: ['http://f/:7'] }));
  expect(applied).toEqual([
    [
      { url: 'http://f/:7', subscribed: false },
      { url: 'http://f/%3A7', subscribed: false },
    ],
  ]);
  expect(turns, 'two passes over the list, in slices of 50').toBeGreaterThan((2 * 3000) / 50 - 10);
});
