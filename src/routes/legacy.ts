import { MAX_BODY } from '../body-limits.ts';
import { Refusal } from '../domain/errors.ts';
import { MEDIA_TYPES } from '../formats/format.ts';
import { writeOpml } from '../formats/opml-write.ts';
import { readForm } from '../http/form.ts';
import { readQuery } from '../http/input.ts';
import type { Reply } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';

/** The only device of the oldest clients. */
const DEVICE = 'legacy';

type Outcome = '@SUCCESS' | '@AUTHFAIL' | '@PROTOERROR';

/** These clients read the text, not the HTTP status. */
const outcomeReply = (outcome: Outcome): Reply => ({ type: MEDIA_TYPES.txt, body: outcome });

/** Upload and download of one list, with the password as a parameter (spec 4.9, legacy paths). */
export function createLegacyRoutes(
  { bodyParser, subscriptions }: Pick<Services, 'bodyParser' | 'subscriptions'>,
  { identity, formBudget, maxBody }: RouteContext,
): Record<'upload' | 'notUploaded' | 'getList', Handler> {
  return {
    upload: (event) =>
      asOutcome(async () => {
        const limit = Math.min(MAX_BODY.legacyUpload, maxBody);
        const form = await readForm(event, { limit, budget: formBudget });
        const { action, protocol, username, password, opml } = Object.fromEntries(form);
        if (action !== 'update-subscriptions' || protocol !== '0') return outcomeReply('@PROTOERROR');
        if (username === undefined || password === undefined || opml === undefined) return outcomeReply('@PROTOERROR');
        const user = await identity.authenticate(event, username, password);
        await subscriptions.replace(user.id, DEVICE, await bodyParser.list('opml', opml));
        return outcomeReply('@SUCCESS');
      }),

    notUploaded: () => outcomeReply('@PROTOERROR'),

    getList: (event) =>
      asOutcome(async () => {
        const [name, password] = [readQuery(event, 'username') ?? '', readQuery(event, 'password') ?? ''];
        const user = await identity.authenticate(event, name, password);
        const urls = (await subscriptions.find(user.id, DEVICE)) ?? (await subscriptions.all(user.id));
        const podcasts = urls.map((url) => ({ url }));
        return { type: MEDIA_TYPES.opml, body: writeOpml(`Subscriptions of ${user.name}`, podcasts) };
      }),
  };
}

/** Turns a refusal into the text that these clients expect. */
async function asOutcome(reply: () => Promise<Reply>): Promise<Reply> {
  try {
    return await reply();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'busy') throw error;
    const isLogin = error.code === 'unauthenticated' || error.code === 'throttled';
    return outcomeReply(isLogin ? '@AUTHFAIL' : '@PROTOERROR');
  }
}
