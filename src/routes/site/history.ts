import type { H3Event } from 'h3';
import { invalid } from '../../domain/errors.ts';
import { dayOf, startOfDay } from '../../domain/listening.ts';
import { formatUtc } from '../../domain/timestamp.ts';
import { ACTION_TYPES, type EpisodeAction } from '../../domain/types.ts';
import { toCsv } from '../../formats/csv.ts';
import { writePages } from '../../formats/pages.ts';
import { readParam, readQuery } from '../../http/input.ts';
import { jsonStream, type Reply } from '../../http/reply.ts';
import { renderHistory } from '../../pages/history.ts';
import { hasProblems, type Problems } from '../../pages/parts/form.ts';
import type { HistoryQuery } from '../../pages/parts/links.ts';
import type { HistoryFilter, HistoryPage } from '../../services/listening/history.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { toActionObject } from '../wire-objects.ts';
import type { Site } from './site.ts';

const PER_PAGE = 50;
const FIELDS = ['podcast', 'device', 'action', 'from', 'to', 'before', 'after'] as const;

/** The history of episode actions, as pages and downloads. */
export function createHistoryPages(
  { history, devices }: Pick<Services, 'history' | 'devices'>,
  site: Site,
): Record<'show' | 'download', Handler> {
  return {
    show: site.signedIn(async (event, { id }) => {
      const query = readFields(event);
      const { filter, problems } = readFilter(query);
      const isWrong = hasProblems(problems);
      const nothing: HistoryPage = { entries: [] };
      const page = isWrong ? nothing : await history.page(id, filter, query, PER_PAGE);
      const choices = await history.choices(id);
      const deviceNames = await devices.names(id);
      return site.page(
        event,
        ({ base }) => renderHistory({ base, query, problems, history: page, ...choices, deviceNames }),
        { status: isWrong ? 400 : 200 },
      );
    }),

    download: site.signedIn(async (event, { id }): Promise<Reply> => {
      const { filter, problems } = readFilter(readFields(event));
      const [problem] = Object.entries(problems);
      if (problem) throw invalid(`"${problem[0]}": ${problem[1]}`);
      const pages = await history.export(id, filter);
      const format = readParam(event, 'format');
      const headers = { 'content-disposition': `attachment; filename="podsync-history.${format}"` };
      if (format === 'json') return { ...jsonStream(writeJson(pages)), headers };
      return { type: 'text/csv; charset=utf-8; header=present', body: writeCsv(pages), headers };
    }),
  };
}

function readFields(event: H3Event): HistoryQuery {
  return Object.fromEntries(FIELDS.map((name) => [name, readQuery(event, name) || undefined]));
}

function readFilter({ podcast, device, action, from, to }: HistoryQuery): {
  filter: HistoryFilter;
  problems: Problems;
} {
  const known = ACTION_TYPES.find((type) => type === action);
  const [first, last] = [readDay(from), readDay(to)];
  const problems = {
    ...(action !== undefined && !known && { action: `choose one of ${ACTION_TYPES.join(', ')}` }),
    ...(Number.isNaN(first) && { from: 'enter a day such as 2026-01-31' }),
    ...(Number.isNaN(last) && { to: 'enter a day such as 2026-01-31' }),
    ...(first! > last! && { to: 'the last day is before the first' }),
  };
  const filter = {
    podcast,
    device,
    action: known,
    from: first === undefined ? undefined : startOfDay(first),
    until: last === undefined ? undefined : startOfDay(last + 1),
  };
  return { filter, problems };
}

/** A calendar day in UTC; NaN if it is invalid. */
function readDay(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return new Date(at).toJSON()?.startsWith(text) ? dayOf(at / 1000) : NaN;
}

type ExportedAction = EpisodeAction & { podcastTitle: string };
type Exported = AsyncIterable<ExportedAction[]>;

const writeJson = (pages: Exported): AsyncIterable<string> =>
  writePages(pages, { head: '[', write: (page) => page.map(toLine).join(',\n'), separator: ',\n', end: ']\n' });

const toLine = ({ podcastTitle, ...action }: ExportedAction): string =>
  JSON.stringify({ ...toActionObject(action), podcast_title: podcastTitle });

const COLUMNS = ['time', 'action', 'podcast_title', 'podcast', 'episode', 'device', 'started', 'position', 'total'];

async function* writeCsv(pages: Exported): AsyncIterable<string> {
  yield toCsv([COLUMNS]);
  for await (const page of pages) {
    yield toCsv(
      page.map(({ timestamp, action, podcastTitle, podcast, episode, device, play }) => [
        formatUtc(timestamp),
        action,
        podcastTitle,
        podcast,
        episode,
        device,
        play?.started,
        play?.position,
        play?.total,
      ]),
    );
  }
}
