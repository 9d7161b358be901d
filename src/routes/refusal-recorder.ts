import type { H3Event } from 'h3';
import { parseDeviceId } from '../domain/device.ts';
import { readApp, readParam } from '../http/input.ts';
import type { Services } from '../services/services.ts';
import { isRecorded } from '../services/sync/refusals.ts';
import type { Handler, RouteContext } from './route.ts';

/** Wraps handlers so that their refusals are recorded for the owner of the account. */
export function createRefusalRecorder(
  { refusals }: Pick<Services, 'refusals'>,
  { identity }: RouteContext,
): <Name extends string>(handlers: Record<Name, Handler>) => Record<Name, Handler> {
  const recording =
    (handler: Handler): Handler =>
    async (event) => {
      try {
        return await handler(event);
      } catch (error) {
        const user = identity.knownUser(event);
        if (user && isRecorded(error)) {
          const requester = { device: deviceIn(event), app: readApp(event), dialect: 'gpodder.net' } as const;
          await refusals.record(user.id, requester, [error.message]);
        }
        throw error;
      }
    };
  return (handlers) => {
    const entries = Object.entries<Handler>(handlers).map(([name, handler]) => [name, recording(handler)]);
    return Object.fromEntries(entries) as typeof handlers;
  };
}

/** The device in the path; undefined if there is none or its id is invalid. */
function deviceIn(event: H3Event): string | undefined {
  try {
    return parseDeviceId(readParam(event, 'device'));
  } catch {
    return undefined;
  }
}
