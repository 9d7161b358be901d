import type { H3Event } from 'h3';
import { MAX_BODY } from '../../body-limits.ts';
import { lostCredentials } from '../../domain/url.ts';
import type { Form } from '../../http/form.ts';
import { readPage, readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import type { Problems } from '../../pages/parts/form.ts';
import { hasDirectory } from '../../pages/parts/layout.ts';
import {
  readRemoved,
  renderSubscriptions,
  subscriptionsPath,
  type SubscriptionsNotice,
  type SubscriptionsView,
} from '../../pages/subscriptions.ts';
import type { Services } from '../../services/services.ts';
import { LIBRARY_ORDERS, selectPodcasts } from '../../services/sync/library.ts';
import type { User } from '../../storage/stores.ts';
import type { Handler } from '../route.ts';
import { partOf } from './paging.ts';
import { problemOf, type Site, toLocalPath } from './site.ts';

/** Podcasts on one page. */
const PER_PAGE = 300;
/** For a form that contains every podcast of the page with its devices. */
const LIMITS = { limit: MAX_BODY.subscriptionsForm, maxFields: 2 * PER_PAGE };

/** The subscriptions of an account on all its devices. */
export function createSubscriptionPages(
  { library }: Pick<Services, 'library'>,
  site: Site,
): Record<'show' | 'subscribe' | 'remove' | 'restore', Handler> {
  interface Attempt {
    entered?: { url: string; device: string };
    problems?: Problems;
  }

  const page = async (event: H3Event, user: User, attempt: Attempt = {}): Promise<Reply> => {
    const view = readView(event);
    const { podcasts, devices } = await library.contents(user.id, { withListening: view.order === 'listened' });
    const found = selectPodcasts(podcasts, view);
    const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
    const number = { page: Math.min(readPage(event), pages), pages };
    const notice = await readNotice(event, user, podcasts);
    return site.ownPage(
      event,
      (frame, csrf) =>
        renderSubscriptions({
          base: frame.base,
          csrf,
          hasDirectory: hasDirectory(frame),
          user: user.name,
          devices,
          view,
          total: podcasts.length,
          found: found.length,
          podcasts: partOf(found, number, PER_PAGE),
          ...number,
          notice,
          ...attempt,
        }),
      attempt.problems,
    );
  };

  /** From the address to which a form redirected. */
  const readNotice = async (
    event: H3Event,
    user: User,
    podcasts: readonly { url: string; title?: string }[],
  ): Promise<SubscriptionsNotice | undefined> => {
    const added = readQuery(event, 'added');
    const podcast = podcasts.find(({ url }) => url === added);
    if (podcast) return { kind: 'subscribed', podcast, lostCredentials: readQuery(event, 'credentials') === 'lost' };
    const imported = readNumber(event, 'imported');
    if (imported) return { kind: 'imported', count: imported };
    const since = readNumber(event, 'removed');
    return since ? { kind: 'removed', podcasts: await library.removed(user.id, since) } : undefined;
  };

  return {
    show: site.signedIn((event, user) => page(event, user)),

    subscribe: site.submitted(
      async (event, user, fields) => {
        const { url, device } = entered(fields);
        const added = await library.subscribe(user.id, url, device);
        const lost = lostCredentials(url, added) ? '&credentials=lost' : '';
        const next = fields.get('next') ?? `/subscriptions?added=${encodeURIComponent(added)}${lost}`;
        return site.redirect(event, toLocalPath(next));
      },
      {
        onRefused: (event, user, fields, error) => {
          const problems = problemOf(error, error.code === 'missing' ? 'device' : 'url');
          return page(event, user, { entered: entered(fields), problems });
        },
      },
    ),

    remove: site.submitted(async (event, user, fields) => {
      const urls = fields.all('podcast');
      if (urls.length === 0) {
        return page(event, user, { problems: { form: 'first select the podcasts to unsubscribe from' } });
      }
      const mark = await library.unsubscribe(user.id, urls, fields.get('device'));
      return site.redirect(event, subscriptionsPath(readView(event), '', { removed: String(mark) }));
    }, LIMITS),

    restore: site.submitted(async (event, user, fields) => {
      await library.restore(user.id, fields.all('removed').map(readRemoved));
      return site.redirect(event, subscriptionsPath(readView(event)));
    }, LIMITS),
  };
}

const entered = (fields: Form) => ({ url: fields.get('url') ?? '', device: fields.get('device') ?? '' });

function readView(event: H3Event): SubscriptionsView {
  const order = readQuery(event, 'sort');
  return {
    text: readQuery(event, 'q')?.trim() ?? '',
    order: LIBRARY_ORDERS.find((each) => each === order) ?? 'name',
    layout: readQuery(event, 'view') === 'list' ? 'list' : 'grid',
  };
}

function readNumber(event: H3Event, name: string): number | undefined {
  const text = readQuery(event, name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
