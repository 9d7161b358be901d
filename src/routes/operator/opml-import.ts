import { invalid } from '../../domain/errors.ts';
import { readOpml } from '../../formats/opml-read.ts';
import { readObject } from '../../http/body.ts';
import { readParam } from '../../http/input.ts';
import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';

/** Room for the largest OPML that is read at all, as JSON: `maxBody` is for apps. Bytes. */
const MAX_BODY = 32 * 1024 * 1024;

/** Subscribes a device to the feeds of an OPML file: `{device, opml, replace, dryRun}`. */
export function createOpmlImportRoute({ administration, opmlImport }: Services): Handler {
  return async (event) => {
    const { device, opml, replace = false, dryRun = false } = await readObject(event, MAX_BODY);
    if (typeof device !== 'string' || typeof opml !== 'string') throw invalid('"device" and "opml" must be strings');
    const { id } = await administration.find(readParam(event, 'user'));
    const choice = { device, replace: replace === true, dryRun: dryRun === true };
    return json(await opmlImport.run(id, readOpml(opml), choice));
  };
}
