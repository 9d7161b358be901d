import { isLonger } from './count.ts';
import { invalid, Refusal } from './errors.ts';
import type { Device } from './types.ts';

/** Of a device id: letters (with their marks) and digits of any script, `_ . -` and blank. */
const CHARACTERS = String.raw`\p{L}\p{M}\p{N}_. -`;
const LONGEST = 255;
const DEVICE_ID = new RegExp(`^[${CHARACTERS}]{1,${LONGEST}}$`, 'u');
const OTHERS = new RegExp(`[^${CHARACTERS}]`, 'gu');

/** The browser as a device: where the website plays, and where it subscribes while the account has no other. */
export const WEB_DEVICE: Device = { id: 'web', caption: 'Web browser', type: 'other' };

/** The device id itself. Throws `invalid` when it is not one. */
export function parseDeviceId(value: unknown): string {
  if (typeof value === 'string' && DEVICE_ID.test(value)) return value;
  throw invalid(`the device id must be 1 to ${LONGEST} letters, digits, blanks or any of _ . -`);
}

/** The device id that is nearest to one of another server, which may take any text. An empty one stays empty. */
export const toDeviceId = (text: string): string => [...text.replace(OTHERS, '_')].slice(0, LONGEST).join('');

/** Characters. */
export const MAX_CAPTION = 255;

/** The caption itself, which may be empty (spec 2.5). Throws `invalid` when it is not one. */
export function parseCaption(value: unknown): string {
  if (typeof value === 'string' && !isLonger(value, MAX_CAPTION)) return value;
  throw invalid(`"caption" must be a string of at most ${MAX_CAPTION} characters`);
}

/** More than anybody has. Each new one may have to follow all others. */
export const MAX_DEVICES = 100;

/** Throws `too-large` for more devices than one request may name. */
export function requireFewDevices(named: readonly (string | undefined)[]): void {
  if (named.length <= MAX_DEVICES) return;
  const devices = new Set(named);
  devices.delete(undefined);
  if (devices.size > MAX_DEVICES) throw new Refusal('too-large', `a request may name up to ${MAX_DEVICES} devices`);
}
