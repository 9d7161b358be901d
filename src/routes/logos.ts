import type { Seconds } from '../domain/types.ts';
import { readParam } from '../http/input.ts';
import { FOR_EVER } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';

/** For a podcast without a logo, or whose logo cannot be fetched. */
const BUILT_IN = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Podcast">
<rect width="64" height="64" rx="10" fill="#3d5a80"/>
<g fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round">
<path d="M18 40a18 18 0 1 1 28 0"/><path d="M24 35a10 10 0 1 1 16 0"/>
</g>
<circle cx="32" cy="30" r="4" fill="#fff"/><path d="M29 38h6l-1.5 14h-3z" fill="#fff" stroke="#fff" stroke-width="2" stroke-linejoin="round"/>
</svg>
`;
/** How long a cache may keep the built-in logo. */
const BUILT_IN_AGE: Seconds = 300;
/** The same for a logo that not everybody may see: its podcast may be listed later. */
const PRIVATE_AGE: Seconds = 86_400;

/**
 * The logo of a podcast in the size of the path; the built-in one if it is not available. Who may see the podcast may see
 * its logo.
 */
export const createLogoRoute =
  ({ logos }: Pick<Services, 'logos'>, { identity }: RouteContext): Handler =>
  async (event) => {
    const size = readParam(event, 'size');
    const pixels = /^\d{1,3}$/.test(size) ? Number(size) : 0;
    const { image, isPublic } = await logos.find(readParam(event, 'hash'), pixels, identity.viewer(event));
    if (!image) return { type: 'image/svg+xml', body: BUILT_IN, isPublic, maxAge: BUILT_IN_AGE };
    return { type: image.type, body: image.bytes, isPublic, maxAge: isPublic ? FOR_EVER : PRIVATE_AGE };
  };
