import { markAfter, originOf } from '../../domain/stamp.ts';
import type { Stamp, SubscriptionChange, Url } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Core } from '../accounts/core.ts';
import { readPrivacy } from '../accounts/settings.ts';
import type { SubscriptionStore } from '../stores.ts';
import { byPlace } from '../rows.ts';
import type { SubscriptionList } from './subscription-list.ts';
import { storeUpload } from './upload.ts';

export const createSubscriptionStore = (core: Core): SubscriptionStore => ({
  current: (user, device) =>
    core.accounts.read(user, ['devices', 'subscriptions'], (_, { devices, subscriptions }) => {
      if (device === undefined) return subscriptions.union();
      const row = devices.get(device);
      return row ? urlsOf(subscriptions.of(row.number)) : [];
    }),

  async listed(user) {
    const { accounts, directory } = core;
    const head = await accounts.findHead(user);
    if (!head || head.visibility === 'none') return [];
    // Read before the settings: a feed that was marked private before the subscription must not appear as public.
    const urls = await accounts.read(user, ['subscriptions'], (_, { subscriptions }) => subscriptions.union());
    const { isPrivate } = await readPrivacy(core, user);
    return urls.filter((url) => directory.memory.isListed(url) && !isPrivate(url));
  },

  since: (user, device, since) =>
    core.accounts.read(user, ['devices', 'subscriptions'], ({ head }, { devices, subscriptions }) => {
      const row = devices.get(device);
      return { items: row ? subscriptions.of(row.number).since(since) : [], mark: markAfter(head.stamp) };
    }),

  apply(user, device, changes, uploader) {
    const devices = [device].flat();
    return storeUpload(core, user, () => ({ devices, origin: originOf(devices, uploader), subscriptions: changes }));
  },

  replace: (user, device, urls, uploader): Promise<Stamp> =>
    storeUpload(core, user, async (account, devices) => {
      const row = devices.get(device);
      const list = row && (await core.accounts.part(account, 'subscriptions')).of(row.number);
      return { devices: [device], origin: originOf([device], uploader), subscriptions: await difference(list, urls) };
    }),
});

const urlsOf = (list: SubscriptionList): Url[] =>
  list
    .current()
    .toSorted(byPlace)
    .map(({ url }) => url);

/** The changes that make the list equal `urls`. */
async function difference(list: SubscriptionList | undefined, urls: readonly Url[]): Promise<SubscriptionChange[]> {
  const wanted = new Set(urls);
  const changes: SubscriptionChange[] = [];
  // Afterwards `wanted` contains only the feeds to add.
  await eachInSlices(
    list?.current() ?? [],
    ({ url }) => wanted.delete(url) || changes.push({ url, subscribed: false }),
  );
  await eachInSlices(wanted, (url) => changes.push({ url, subscribed: true }));
  return changes;
}
