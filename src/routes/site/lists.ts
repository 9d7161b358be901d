import type { H3Event } from 'h3';
import type { Form } from '../../http/form.ts';
import { readPage, readParam, readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { renderLists, renderOwnList } from '../../pages/lists.ts';
import type { Problems } from '../../pages/parts/form.ts';
import { ownListPage } from '../../pages/parts/links.ts';
import type { Services } from '../../services/services.ts';
import type { User } from '../../storage/stores.ts';
import type { Handler } from '../route.ts';
import { partOf } from './paging.ts';
import { problemOf, type Site, UNCONFIRMED } from './site.ts';

/** Podcasts on one page. */
const PER_PAGE = 100;

/** By the parameter of a redirect. */
const NOTICES: ReadonlyMap<string, string> = new Map([
  ['added', 'Podcast added.'],
  ['removed', 'Podcast removed.'],
  ['renamed', 'List renamed.'],
  ['deleted', 'List deleted.'],
]);

/** The podcast lists of an account, for its owner; `pages.list` is the public page of a list. */
export function createListPages(
  { lists, directory, library }: Pick<Services, 'lists' | 'directory' | 'library'>,
  site: Site,
): Record<'all' | 'create' | 'up' | 'down' | 'show' | 'add' | 'remove' | 'rename' | 'delete', Handler> {
  const all = async (event: H3Event, user: User, entered: { title?: string; problems?: Problems } = {}) => {
    const own = await lists.all(user.id);
    const notice = noticeOf(event);
    return site.ownPage(
      event,
      ({ base, directory: mode }, csrf) =>
        renderLists({ base, csrf, directory: mode, user: user.name, lists: own, notice, ...entered }),
      entered.problems,
    );
  };

  interface Entered {
    entered?: { title?: string; url?: string };
    problems?: Problems;
  }

  const one = async (event: H3Event, user: User, entered: Entered = {}): Promise<Reply> => {
    const { urls, ...list } = await lists.find(user.id, readParam(event, 'name'));
    const pages = Math.max(1, Math.ceil(urls.length / PER_PAGE));
    const page = Math.min(readPage(event), pages);
    const podcasts = await directory.describe(partOf(urls, { page, pages }, PER_PAGE), user.id);
    const onList = new Set(urls);
    const contents = await library.contents(user.id);
    const suggested = contents.podcasts.filter(({ url }) => !onList.has(url));
    const notice = noticeOf(event);
    const details = { ...list, podcasts, suggested, total: urls.length, page, pages, notice, ...entered };
    return site.ownPage(
      event,
      ({ base }, csrf) => renderOwnList({ base, csrf, user: user.name, ...details }),
      entered.problems,
    );
  };

  const back = (event: H3Event, done: string): Reply =>
    site.redirect(event, `${ownListPage('', readParam(event, 'name'))}?done=${done}`);

  /** A form with one field. */
  const submitted = (
    field: 'title' | 'url',
    change: (user: User, name: string, value: string) => Promise<void>,
    done: string,
  ) => {
    const read = (fields: Form): string => fields.get(field)?.trim() ?? '';
    return site.submitted(
      async (event, user, fields) => {
        await change(user, readParam(event, 'name'), read(fields));
        return back(event, done);
      },
      {
        onRefused: (event, user, fields, error) =>
          one(event, user, { entered: { [field]: read(fields) }, problems: problemOf(error, field) }),
      },
    );
  };

  const move = (by: number): Handler =>
    site.submitted(async (event, user) => {
      await lists.move(user.id, readParam(event, 'name'), by);
      return site.redirect(event, '/lists');
    });

  return {
    all: site.signedIn((event, user) => all(event, user)),
    show: site.signedIn((event, user) => one(event, user)),

    create: site.submitted(
      async (event, user, fields) => {
        const { name } = await lists.create(user.id, fields.get('title')?.trim() ?? '', []);
        return site.redirect(event, ownListPage('', name));
      },
      {
        onRefused: (event, user, fields, error) =>
          all(event, user, { title: fields.get('title') ?? '', problems: problemOf(error, 'title') }),
      },
    ),

    up: move(-1),
    down: move(1),

    add: submitted('url', (user, name, url) => lists.add(user.id, name, [url]), 'added'),
    rename: submitted('title', (user, name, title) => lists.rename(user.id, name, title), 'renamed'),

    remove: site.submitted(async (event, user, fields) => {
      await lists.remove(user.id, readParam(event, 'name'), fields.get('url') ?? '');
      return back(event, 'removed');
    }),

    delete: site.submitted(async (event, user, fields) => {
      if (!fields.has('confirm')) return one(event, user, { problems: UNCONFIRMED });
      await lists.delete(user.id, readParam(event, 'name'));
      return site.redirect(event, '/lists?done=deleted');
    }),
  };
}

const noticeOf = (event: H3Event): string | undefined => NOTICES.get(readQuery(event, 'done') ?? '');
