import { ok, type TestServer } from '../server.ts';

export const SYNC = '/api/2/sync-devices/bob.json';
export const delta = (device: string): string => `/api/2/subscriptions/bob/${device}.json`;
export const whole = (device: string): string => `/subscriptions/bob/${device}.json`;

/** The list of a device, sorted. */
export const list = async (server: TestServer, device: string): Promise<string[]> =>
  (await ok(server, 'GET', whole(device))).toSorted();
