import type { ImportChunk } from '../domain/import-chunk.ts';
import type { ApiClient } from './api-client.ts';
import { toArray, toObject, toObjects, toText, toUrls } from './lenient-json.ts';
import { canContinue, isPermanentFailure, RemoteError } from './remote-error.ts';

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
  const devices = toObjects(await get(['api', '2', 'devices', `${user}.json`]).catch(explainNotFound), 'devices');
  for (const { id, caption, type } of devices) {
    const device = toText(id);
    if (device === '') continue;
    discovered.devices.push(device);
    yield { kind: 'device', device, caption: toText(caption), type: toText(type) };
  }
  expectRequests(discovered.devices.length);

  for (const device of discovered.devices) {
    const urls = await readSubscriptions(get, user, device).catch((error: unknown) => {
      if (!isPermanentFailure(error)) throw error;
      onGap(`subscriptions of devices: ${error.message}`);
      return [];
    });
    for (const url of urls) discovered.feeds.add(url);
    yield { kind: 'subscriptions', device, urls };
  }
  const all = await getOptional('subscriptions of the whole account', ['subscriptions', `${user}.json`], {}, (answer) =>
    toUrls(answer, 'subscriptions'),
  );
  const others = (all ?? []).filter((url) => !discovered.feeds.has(url));
  for (const url of others) discovered.feeds.add(url);
  if (others.length > 0) yield { kind: 'subscriptions', device: EXTRA_DEVICE, urls: others };
}

/** Groups of devices that share their subscriptions. */
export async function* readGroups({ user, getOptional }: ApiClient): AsyncIterable<ImportChunk> {
  const path = ['api', '2', 'sync-devices', `${user}.json`];
  const groups = await getOptional('device groups', path, {}, toGroups);
  for (const group of groups ?? []) yield { kind: 'group', devices: group };
}

/** A 404 at the first request means that the address is wrong. */
function explainNotFound(error: unknown): never {
  if (!(error instanceof RemoteError) || error.status !== 404) throw error;
  const { message, status } = error;
  throw new RemoteError(`${message}: there is no gpodder-compatible server at this address; it may lack a path`, {
    status,
  });
}

/** From the full list, or else from all changes since the beginning: some servers support only one of them. */
async function readSubscriptions(get: ApiClient['get'], user: string, device: string): Promise<string[]> {
  try {
    return toUrls(await get(['subscriptions', user, `${device}.json`]), 'subscriptions');
  } catch (error) {
    if (!canContinue(error)) throw error;
  }
  const changes = await get(['api', '2', 'subscriptions', user, `${device}.json`], { since: '0' });
  return toUrls(toObject(changes, 'subscriptions').add, 'subscriptions');
}

function toGroups(answer: unknown): string[][] {
  const { synchronized } = toObject(answer, 'device groups');
  return toArray(synchronized, 'device groups').map((group) => toArray(group, 'device groups').map(toText));
}
