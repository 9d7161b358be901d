import { isLonger } from './count.ts';
import { invalid, Refusal } from './errors.ts';
import type { Device } from './types.ts';

/** Valid in a device id: letters (with their marks) and digits of any script, `_ . -` and space. */
const CHARACTERS = String.raw`\p{L}\p{M}\p{N}_. -`;
const LONGEST = 255;
const DEVICE_ID = new RegExp(`^[${CHARACTERS}]{1,${LONGEST}}$`, 'u');
const INVALID_CHARACTERS = new RegExp(`[^${CHARACTERS}]`, 'gu');

/** The browser as a device: the website's player uses it, and subscriptions if the account has no other device. */
export const WEB_DEVICE: Device = { id: 'web', caption: 'Web browser', type: 'other' };

/**
 * The devices that must have a podcast for it to be on all devices. The browser counts only if it is alone: it shows the
 * podcasts of all others.
 */
export const withoutBrowser = (ids: readonly string[]): readonly string[] =>
  ids.length > 1 ? ids.filter((id) => id !== WEB_DEVICE.id) : ids;

/** The name that the owner gave it, otherwise its id. */
export const deviceName = ({ id, caption }: Pick<Device, 'id' | 'caption'>): string => caption || id;

/** The names of devices by their ids. */
export const deviceNames = (devices: readonly Pick<Device, 'id' | 'caption'>[]): ReadonlyMap<string, string> =>
  new Map(devices.map((device) => [device.id, deviceName(device)]));

/** A valid device id, unchanged. Throws `invalid` for anything else. */
export function parseDeviceId(value: unknown): string {
  if (typeof value === 'string' && DEVICE_ID.test(value)) return value;
  throw invalid(`the device id must be 1 to ${LONGEST} letters, digits, spaces or any of _ . -`);
}

/** The nearest valid device id to one from another server, which may allow any text. An empty text stays empty. */
export const toDeviceId = (text: string): string =>
  [...text.replace(INVALID_CHARACTERS, '_')].slice(0, LONGEST).join('');

/** Characters. */
export const MAX_CAPTION = 255;

/**
 * A valid caption; it may be empty (spec 2.5). Half a surrogate pair is replaced: strict JSON parsers refuse the whole
 * response that contains one. Throws `invalid` for anything else.
 */
export function parseCaption(value: unknown): string {
  if (typeof value === 'string' && !isLonger(value, MAX_CAPTION)) return value.toWellFormed();
  throw invalid(`"caption" must be a string of at most ${MAX_CAPTION} characters`);
}

/** More than anyone has. Each new device may have to be synchronized with all others. */
export const MAX_DEVICES = 100;

/** Throws `too-large` if one request names too many devices. */
export function checkDeviceCount(named: readonly (string | undefined)[]): void {
  if (named.length <= MAX_DEVICES) return;
  const devices = new Set(named);
  devices.delete(undefined);
  if (devices.size > MAX_DEVICES) throw new Refusal('too-large', `a request may name up to ${MAX_DEVICES} devices`);
}

/** Across all devices, with tombstones: as many as the cache of accounts has room for. */
const MAX_SUBSCRIPTIONS = 150_000;
/** Characters of their addresses, which are hardly ever longer than 200, but may have 8,192. */
const MAX_ADDRESSES = 80_000_000;

/**
 * Throws `too-large` for too many subscriptions of one account, or too many characters in their addresses: a feed counts
 * once for each device that ever had it.
 */
export function checkSubscriptions(count: number, characters: number): void {
  if (count <= MAX_SUBSCRIPTIONS && characters <= MAX_ADDRESSES) return;
  const size = `${MAX_SUBSCRIPTIONS} subscriptions on all its devices, with ${MAX_ADDRESSES / 1e6} MB of addresses`;
  throw new Refusal('too-large', `an account may have up to ${size}; delete devices that you no longer use`);
}
