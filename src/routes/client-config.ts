import { publicBase } from '../http/origin.ts';
import { json, toPublic } from '../http/reply.ts';
import type { Handler, RouteContext } from './route.ts';

/** How long a client may use this response. Seconds. */
const UPDATE_TIMEOUT = 604_800;

/** The addresses of the interface, for client libraries. */
export const createClientConfigRoute =
  ({ origin }: RouteContext): Handler =>
  (event) => {
    const baseurl = `${publicBase(event, origin)}/`;
    return toPublic(json({ mygpo: { baseurl }, 'mygpo-feedservice': { baseurl }, update_timeout: UPDATE_TIMEOUT }));
  };
