import type { Piece } from '../domain/piece.ts';
import type { Asker } from './asker.ts';
import { isRefusal, mayGoOn, RemoteError } from './failure.ts';
import { toArray, toObject, toObjects, toText, toUrls } from './shapes.ts';

/** The device for feeds that the account has on none of its devices. */
const WITHOUT_DEVICE = 'pulled';

/** What was met on the way: other pieces are asked for by it. */
export interface Found {
  devices: string[];
  feeds: Set<string>;
}

/** Devices and their subscriptions. What is met goes into `found`. */
export async function* readDevices({ user, ask, askFor, expect, gap }: Asker, found: Found): AsyncIterable<Piece> {
  const devices = toObjects(await ask(['api', '2', 'devices', `${user}.json`]).catch(explain), 'devices');
  for (const { id, caption, type } of devices) {
    const device = toText(id);
    if (device === '') continue;
    found.devices.push(device);
    yield { kind: 'device', device, caption: toText(caption), type: toText(type) };
  }
  expect(found.devices.length);

  for (const device of found.devices) {
    const urls = await readSubscriptions(ask, user, device).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      gap(`subscriptions of devices: ${error.message}`);
      return [];
    });
    for (const url of urls) found.feeds.add(url);
    yield { kind: 'subscriptions', device, urls };
  }
  const all = await askFor('subscriptions of the whole account', ['subscriptions', `${user}.json`], {}, (answer) =>
    toUrls(answer, 'subscriptions'),
  );
  const left = (all ?? []).filter((url) => !found.feeds.has(url));
  for (const url of left) found.feeds.add(url);
  if (left.length > 0) yield { kind: 'subscriptions', device: WITHOUT_DEVICE, urls: left };
}

/** Which devices follow each other. */
export async function* readGroups({ user, askFor }: Asker): AsyncIterable<Piece> {
  const path = ['api', '2', 'sync-devices', `${user}.json`];
  const groups = await askFor('which devices follow each other', path, {}, toGroups);
  for (const group of groups ?? []) yield { kind: 'group', devices: group };
}

/** A wrong address shows at the first question. */
function explain(error: unknown): never {
  if (!(error instanceof RemoteError) || error.status !== 404) throw error;
  const { message, status } = error;
  throw new RemoteError(`${message}: there is no gpodder-compatible server, or its address goes on with a path`, {
    status,
  });
}

/** As a whole list, else as all changes since the beginning: some servers have only one of these. */
async function readSubscriptions(ask: Asker['ask'], user: string, device: string): Promise<string[]> {
  try {
    return toUrls(await ask(['subscriptions', user, `${device}.json`]), 'subscriptions');
  } catch (error) {
    if (!mayGoOn(error)) throw error;
  }
  const changes = await ask(['api', '2', 'subscriptions', user, `${device}.json`], { since: '0' });
  return toUrls(toObject(changes, 'subscriptions').add, 'subscriptions');
}

function toGroups(answer: unknown): string[][] {
  const { synchronized } = toObject(answer, 'groups of devices');
  return toArray(synchronized, 'groups of devices').map((group) => toArray(group, 'groups of devices').map(toText));
}
