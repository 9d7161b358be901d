import type { H3Event } from 'h3';
import { MAX_BODY, MAX_OPML } from '../../body-limits.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import { decodeXml } from '../../feeds/charset.ts';
import type { Form } from '../../http/form.ts';
import { REPLACEMENT } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { renderImportForm, renderImportPreview } from '../../pages/opml-import.ts';
import type { Problems } from '../../pages/parts/form.ts';
import type { Services } from '../../services/services.ts';
import type { User } from '../../storage/stores.ts';
import type { Handler } from '../route.ts';
import type { Site } from './site.ts';

/**
 * Imports an OPML file in two steps. The form of the second step contains the file, so that any node can process it, and
 * nothing needs to be stored in between.
 */
export function createOpmlImportPages(
  { library, devices, bodyParser }: Pick<Services, 'library' | 'devices' | 'bodyParser'>,
  site: Site,
): Record<'show' | 'submit', Handler> {
  const form = async (event: H3Event, user: User, entered: { device?: string; problems?: Problems } = {}) => {
    const known = await devices.all(user.id);
    return site.ownPage(
      event,
      ({ base }, csrf) => renderImportForm({ base, csrf, devices: known, maxFile: MAX_OPML, ...entered }),
      entered.problems,
    );
  };

  const submit = async (event: H3Event, user: User, fields: Form, problem?: string): Promise<Reply> => {
    const device = fields.get('device') ?? '';
    const confirmed = fields.get('confirmed');
    const opml = confirmed ?? fields.get('opml') ?? '';
    if (opml === '') {
      return form(event, user, { device, problems: { opml: problem ?? 'choose a file that is not empty' } });
    }
    try {
      const entries = await bodyParser.podcasts(opml);
      if (entries.length === 0) throw invalid('this file contains no podcasts; choose another one');
      const isPreview = confirmed === undefined || problem !== undefined;
      const report = await library.import(user.id, entries, { device, dryRun: isPreview });
      if (!isPreview) return site.redirect(event, `/subscriptions?imported=${report.added.length}`);
      return site.ownPage(
        event,
        ({ base }, csrf) => renderImportPreview({ base, csrf, opml, device, problem, ...report }),
        problem === undefined ? {} : { form: problem },
      );
    } catch (error) {
      if (!(error instanceof Refusal) || error.retryAfter !== undefined) throw error;
      const field = error.code === 'missing' ? 'device' : 'opml';
      return form(event, user, { device, problems: { [field]: error.message } });
    }
  };

  const submitted = site.submitted((event, user, fields) => submit(event, user, fields), {
    limit: MAX_BODY.opmlForm,
    maxFile: MAX_BODY.opmlFile,
    readFile,
    onRefused: (event, user, fields, { message }) => submit(event, user, fields, message),
  });

  return {
    show: site.signedIn((event, user) => form(event, user)),
    async submit(event) {
      try {
        return await submitted(event);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'too-large') throw error;
        throw new Refusal(
          'too-large',
          `the file is larger than ${MAX_OPML} MB; split it, and import the parts one by one`,
        );
      }
    },
  };
}

/** In any encoding. What cannot be decoded is marked, as a form with replacement characters is refused. */
const readFile = (bytes: Uint8Array): string => decodeXml(bytes).replaceAll(REPLACEMENT, '?');
