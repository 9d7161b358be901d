import { MAX_BODY } from '../../body-limits.ts';
import { readObject } from '../../http/body.ts';
import { readParam, toStringFields } from '../../http/input.ts';
import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { Handler, RouteContext } from '../route.ts';

/** Subscribes a device to the feeds of an OPML file: `{device, opml, replace, dryRun}`. */
export function createOpmlImportRoute(
  { administration, bodyParser, opmlImport }: Pick<Services, 'administration' | 'bodyParser' | 'opmlImport'>,
  { bodyOptions }: RouteContext,
): Handler {
  return async (event) => {
    const body = await readObject(event, { ...bodyOptions('operator'), limit: MAX_BODY.operatorOpml });
    const { device, opml } = toStringFields(body, 'device', 'opml');
    const { id } = await administration.find(readParam(event, 'user'));
    const podcasts = await bodyParser.podcasts(opml);
    const choice = { device, replace: body.replace === true, dryRun: body.dryRun === true };
    return json(await opmlImport.run(id, podcasts, choice));
  };
}
