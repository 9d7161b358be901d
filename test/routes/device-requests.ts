import { expect } from 'vitest';
import type { TestServer } from '../server.ts';

const auth = 'bob:secret';
export const SYNC = '/api/2/sync-devices/bob.json';
export const delta = (device: string): string => `/api/2/subscriptions/bob/${device}.json`;
export const whole = (device: string): string => `/subscriptions/bob/${device}.json`;

/** Sends a request as bob, and returns the parsed response, which must be a success. */
export async function ok({ request }: TestServer, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await request(method, path, { auth, ...(body !== undefined && { body }) });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.anything()]);
  return text === '' ? '' : JSON.parse(text);
}

/** The list of a device, sorted. */
export const list = async (server: TestServer, device: string): Promise<string[]> =>
  (await ok(server, 'GET', whole(device))).toSorted();
