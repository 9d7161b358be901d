import { Refusal } from '../../domain/errors.ts';
import { readParam } from '../../http/input.ts';
import { FOR_EVER, toPublic } from '../../http/reply.ts';
import { ASSETS, icon, MANIFEST } from '../../pages/assets.ts';
import type { Handler } from '../route.ts';

/** The style sheet, the script and the icon, and the files that browsers and search engines expect. */
export const ASSET_ROUTES: Record<'asset' | 'favicon' | 'manifest' | 'robots', Handler> = {
  asset(event) {
    const asset = ASSETS.get(readParam(event, 'name'));
    if (!asset) throw new Refusal('missing', 'there is no file with this name; reload the page that uses it');
    return toPublic({ type: asset.type, body: asset.body, maxAge: FOR_EVER });
  },
  // Browsers ask for it beside a response that is not a page, such as JSON.
  favicon: () => toPublic({ type: icon.type, body: icon.body }),
  manifest: () => toPublic({ type: 'application/manifest+json', body: MANIFEST }),
  robots: () =>
    toPublic({
      type: 'text/plain; charset=utf-8',
      body: 'User-agent: *\nDisallow: /user/\nDisallow: /login\nDisallow: /register\n',
    }),
};
