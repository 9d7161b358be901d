import { readObject } from '../../http/body.ts';
import { readParam, toStringFields } from '../../http/input.ts';
import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { Handler, RouteContext } from '../route.ts';

/** Room for 16 MiB of OPML as JSON: `maxBody` is for apps. Bytes. */
const MAX_BODY = 32 * 1024 * 1024;
/** The sender of operator requests, for the body budget. */
const OPERATOR = 'operator';

/** Subscribes a device to the feeds of an OPML file: `{device, opml, replace, dryRun}`. */
export function createOpmlImportRoute(
  { administration, bodyParser, opmlImport }: Pick<Services, 'administration' | 'bodyParser' | 'opmlImport'>,
  { bodyOptions }: RouteContext,
): Handler {
  return async (event) => {
    const body = await readObject(event, { ...bodyOptions(OPERATOR), limit: MAX_BODY });
    const { device, opml } = toStringFields(body, 'device', 'opml');
    const { id } = await administration.find(readParam(event, 'user'));
    const podcasts = await bodyParser.podcasts(opml);
    const choice = { device, replace: body.replace === true, dryRun: body.dryRun === true };
    return json(await opmlImport.run(id, podcasts, choice));
  };
}
