import { markAfter, originOf } from '../../domain/stamp.ts';
import type { Stamp, SubscriptionChange, Url } from '../../domain/types.ts';
import { eachInSlices, mapInSlices } from '../../slices.ts';
import { readPrivacy } from '../accounts/settings.ts';
import type { Core } from '../core.ts';
import type { SubscriptionStore } from '../stores.ts';
import { type SubscriptionList, urlsByPlace } from './subscription-list.ts';
import { storeUpload } from './upload.ts';

export const createSubscriptionStore = (core: Core): SubscriptionStore => ({
  async current(user, device) {
    const { accounts } = core;
    const rows = await accounts.read(user, ['devices', 'subscriptions'], (_, { devices, subscriptions }) =>
      device === undefined ? subscriptions.current() : subscriptions.of(devices.get(device)?.number).current(),
    );
    return urlsByPlace(rows);
  },

  async listed(user) {
    const { accounts, directory } = core;
    const head = await accounts.findHead(user);
    if (!head || head.visibility === 'none') return [];
    // Read before the settings: a feed that was marked private before the subscription must not appear as public.
    const rows = await accounts.read(user, ['subscriptions'], (_, { subscriptions }) => subscriptions.current());
    const urls = await urlsByPlace(rows);
    const { isPrivate } = await readPrivacy(core, user);
    return urls.filter((url) => directory.memory.isListed(url) && !isPrivate(url));
  },

  async since(user, device, since) {
    const { accounts } = core;
    const { rows, mark } = await accounts.read(
      user,
      ['devices', 'subscriptions'],
      ({ head }, { devices, subscriptions }) => ({
        rows: subscriptions.of(devices.get(device)?.number).since(since),
        mark: markAfter(head.stamp),
      }),
    );
    return { items: await mapInSlices(rows, ({ url, subscribed }) => ({ url, subscribed })), mark };
  },

  apply(user, device, changes, uploader) {
    const devices = [device].flat();
    return storeUpload(core, user, () => ({ devices, origin: originOf(devices, uploader), subscriptions: changes }));
  },

  replace: (user, device, urls, uploader): Promise<Stamp> =>
    storeUpload(core, user, async (account, devices) => {
      const list = (await core.accounts.part(account, 'subscriptions')).of(devices.get(device)?.number);
      return { devices: [device], origin: originOf([device], uploader), subscriptions: await difference(list, urls) };
    }),
});

/** The changes that make the list equal `urls`. */
async function difference(list: SubscriptionList, urls: readonly Url[]): Promise<SubscriptionChange[]> {
  const wanted = new Set(urls);
  const changes: SubscriptionChange[] = [];
  // Afterwards `wanted` contains only the feeds to add.
  await eachInSlices(list.current(), ({ url }) => wanted.delete(url) || changes.push({ url, subscribed: false }));
  await eachInSlices(wanted, (url) => changes.push({ url, subscribed: true }));
  return changes;
}
