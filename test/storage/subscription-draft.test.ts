import { expect, it, vi } from 'vitest';
import type { Url } from '../../src/domain/types.ts';
import { SubscriptionDraft } from '../../src/storage/sync/subscription-draft.ts';
import { SubscriptionLists } from '../../src/storage/sync/subscription-lists.ts';

const add = (urls: readonly Url[]) => urls.map((url) => ({ url, subscribed: true }));

it('applies each feed once per device when it merges lists that have the same feeds', async () => {
  const urls = Array.from({ length: 20 }, (_, n) => `https://podcasts.example/${n}`);
  const devices = [1, 2, 3, 4, 5];
  const draft = new SubscriptionDraft(new SubscriptionLists(), 1, 1);
  for (const device of devices) await draft.change(device, add(urls));
  const change = vi.spyOn(draft, 'change');
  await draft.merge([...devices, 6]);
  expect(change.mock.calls).toEqual([...devices, 6].map((device) => [device, add(urls)]));
});

it('refuses more addresses than an account may have, however few they are', async () => {
  const urls = Array.from({ length: 1000 }, (_, n) => `https://podcasts.example/${n}/`.padEnd(8000, 'x'));
  const draft = new SubscriptionDraft(new SubscriptionLists(), 1, 1);
  for (let device = 1; device <= 10; device++) await draft.change(device, add(urls));
  await expect(draft.change(11, add(urls.slice(0, 1)))).rejects.toMatchObject({
    code: 'too-large',
    message: expect.stringMatching(/80 MB of addresses.*delete devices/),
  });
});
