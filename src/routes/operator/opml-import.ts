import { readOpml } from '../../formats/opml-read.ts';
import { readObject } from '../../http/body.ts';
import { readParam, toTexts } from '../../http/input.ts';
import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';

/** Room for the largest OPML that is read at all, as JSON: `maxBody` is for apps. Bytes. */
const MAX_BODY = 32 * 1024 * 1024;

/** Subscribes a device to the feeds of an OPML file: `{device, opml, replace, dryRun}`. */
export function createOpmlImportRoute({
  administration,
  opmlImport,
}: Pick<Services, 'administration' | 'opmlImport'>): Handler {
  return async (event) => {
    const body = await readObject(event, MAX_BODY);
    const { device, opml } = toTexts(body, 'device', 'opml');
    const { id } = await administration.find(readParam(event, 'user'));
    const choice = { device, replace: body.replace === true, dryRun: body.dryRun === true };
    return json(await opmlImport.run(id, readOpml(opml), choice));
  };
}
