import type { ImportChunk } from '../domain/import-chunk.ts';
import type { ApiClient } from './api-client.ts';
import { toArray, toObject, toObjects, toText, toUrls } from './lenient-json.ts';
import { canContinue, explainStatus, isPermanentFailure } from './remote-error.ts';

/** Id of the device that gets the feeds that are on none of the account's devices. */
const EXTRA_DEVICE = 'pulled';

/** What has been found so far; later requests depend on it. */
export interface Discovered {
  devices: string[];
  feeds: Set<string>;
}

/** Devices and their subscriptions. Adds them to `discovered`. */
export async function* readDevices(
  { user, get, getOptional, expectRequests, onGap }: ApiClient,
  discovered: Discovered,
): AsyncIterable<ImportChunk> {
  const devices = toObjects(
    await get(['api', '2', 'devices', `${user}.json`]).catch(explainStatus('gpodder-compatible server')),
    'devices',
  );
  for (const { id, caption, type } of devices) {
    const device = toText(id);
    if (device === '') continue;
    discovered.devices.push(device);
    yield { kind: 'device', device, caption: toText(caption), type: toText(type) };
  }
  expectRequests(2 * discovered.devices.length);

  const removed = new Set<string>();
  for (const device of discovered.devices) {
    const list = await readSubscriptions(get, user, device).catch((error: unknown) => {
      if (!isPermanentFailure(error)) throw error;
      onGap(`subscriptions of devices: ${error.message}`);
      return { urls: [], removed: [] };
    });
    for (const url of list.urls) discovered.feeds.add(url);
    for (const url of list.removed) removed.add(url);
    yield { kind: 'subscriptions', device, urls: list.urls };
  }
  const all = await getOptional('subscriptions of the whole account', ['subscriptions', `${user}.json`], (answer) =>
    toUrls(answer, 'subscriptions'),
  );
  const others = (all ?? []).filter((url) => !discovered.feeds.has(url) && !removed.has(url));
  for (const url of others) discovered.feeds.add(url);
  if (others.length > 0) yield { kind: 'subscriptions', device: EXTRA_DEVICE, urls: others };
}

/** Groups of devices that share their subscriptions. */
export async function* readGroups({ user, getOptional }: ApiClient): AsyncIterable<ImportChunk> {
  const path = ['api', '2', 'sync-devices', `${user}.json`];
  const groups = await getOptional('device groups', path, toGroups);
  for (const group of groups ?? []) yield { kind: 'group', devices: group };
}

/**
 * The full list, without the feeds that were removed according to all changes since the beginning: oPodSync never takes a
 * feed off its list. Some servers support only one of the two, and PinePods returns an empty list.
 */
async function readSubscriptions(
  get: ApiClient['get'],
  user: string,
  device: string,
): Promise<{ urls: string[]; removed: string[] }> {
  const list = await get(['subscriptions', user, `${device}.json`])
    .then((answer) => toUrls(answer, 'subscriptions'))
    .catch(ignoreIfOthersMaySucceed);
  const query = { since: '0' };
  const changes = await get(['api', '2', 'subscriptions', user, `${device}.json`], query)
    .then(toChanges)
    .catch((error: unknown) => (list ? ignoreIfOthersMaySucceed(error) : Promise.reject(error)));
  const { add = [], remove = [] } = changes ?? {};
  const removed = remove.filter((url) => !add.includes(url));
  const listed = list && list.length > 0 ? list : add;
  return { urls: listed.filter((url) => !removed.includes(url)), removed };
}

function ignoreIfOthersMaySucceed(error: unknown): undefined {
  if (!canContinue(error)) throw error;
}

function toChanges(answer: unknown): { add: string[]; remove: string[] } {
  const { add, remove = [] } = toObject(answer, 'subscriptions');
  return { add: toUrls(add, 'subscriptions'), remove: toUrls(remove, 'subscriptions') };
}

function toGroups(answer: unknown): string[][] {
  const { synchronized } = toObject(answer, 'device groups');
  return toArray(synchronized, 'device groups').map((group) => toArray(group, 'device groups').map(toText));
}
