import { expect } from 'vitest';
import { type Client, followingPath } from './client.ts';
import type { Action } from './library.ts';
import { OVERLAP } from './server.ts';
import type { Exchange } from './world.ts';

/* What the server guarantees, checked against all recorded exchanges. */

const isEpisodes = ({ call }: Exchange): boolean => /\/episodes?\/|\/episode_action/.test(call.path);
const isRead = ({ call }: Exchange): boolean => call.method === 'GET';
const hasMark = ({ answer }: Exchange): boolean => answer?.timestamp !== undefined;
const uploadsOf = (exchanges: readonly Exchange[]): Exchange[] =>
  exchanges.filter(
    ({ call }) =>
      call.method !== 'GET' &&
      /\/(?:episodes?|subscriptions|sync-devices|episode_action|subscription_change)\//.test(call.path),
  );
/** Merges the lists of all devices, after which a change on one applies to all. */
const isLink = ({ call }: Exchange): boolean => call.method === 'POST' && call.path === followingPath;

const episodesIn = (actions: readonly Action[]): string[] => actions.map(({ episode }) => episode);
const uploadedEpisodes = ({ call }: Exchange): string[] => episodesIn(call.body as Action[]);

/** The episode of every action that a client received, as often as it received it. */
const receivedEpisodes = (exchanges: readonly Exchange[], client: Client): string[] =>
  exchanges
    .filter((each) => each.client === client.name && each.received && isRead(each) && isEpisodes(each))
    .flatMap(({ answer }) => episodesIn(answer.actions));

export function expectAllActionsReceived(exchanges: readonly Exchange[], clients: readonly Client[]): void {
  const uploads = uploadsOf(exchanges).filter(isEpisodes);
  for (const client of clients) {
    const known = new Set(receivedEpisodes(exchanges, client));
    const others = uploads.filter((upload) => upload.client !== client.name).flatMap(uploadedEpisodes);
    expect(
      [...new Set(others)].filter((episode) => !known.has(episode)),
      `lost for ${client.name}`,
    ).toEqual([]);
  }
}

export function expectNoRepeats(exchanges: readonly Exchange[], client: Client): void {
  const episodes = receivedEpisodes(exchanges, client);
  const repeated = episodes.filter((episode, index) => episodes.indexOf(episode) !== index);
  expect(repeated, `received twice by ${client.name}`).toEqual([]);
}

/** Uploads of other devices that the mark of an upload must not pass. */
const overlapping = (upload: Exchange, uploads: readonly Exchange[]): Exchange[] =>
  uploads.filter(
    ({ client, began, ended }) =>
      client !== upload.client && began.order < upload.ended.order && ended.at > upload.began.at - OVERLAP,
  );

/**
 * A read returns only what was not yet stored when its mark was issued. It returns a change again, or to the device that
 * made it, only if its mark was issued by an upload that overlaps with one of another device, and only what was stored
 * since that one.
 */
export function expectNothingFromBeforeMark(exchanges: readonly Exchange[]): void {
  const uploads = uploadsOf(exchanges);
  /** Reads with the mark of this answer return uploads from this position on in the order of all requests. */
  const startOf = (source: Exchange): number =>
    isRead(source)
      ? source.began.order
      : Math.min(source.ended.order, ...overlapping(source, uploads).map(({ began }) => began.order));
  for (const read of exchanges.filter((each) => isRead(each) && hasMark(each))) {
    const since = Number(/since=(\d+)/.exec(read.call.path)![1]);
    const sources = exchanges.filter(
      ({ client, answer, ended }) =>
        client === read.client && ended.order < read.began.order && [since, since - 1].includes(answer?.timestamp),
    );
    if (sources.length === 0) continue; // from the beginning
    const from = Math.max(...sources.map(startOf));
    const tooEarly = isEpisodes(read) ? earlyEpisodes(read, uploads, from) : earlyFeeds(read, uploads, from);
    expect(tooEarly, `received by ${read.client} since ${since}`).toEqual([]);
  }
}

/** Episodes that a read returned although their first upload had ended at `from`. */
function earlyEpisodes({ answer }: Exchange, uploads: readonly Exchange[], from: number): string[] {
  const early = new Set(
    uploads.filter((upload) => isEpisodes(upload) && upload.ended.order <= from).flatMap(uploadedEpisodes),
  );
  return episodesIn(answer.actions).filter((episode) => early.has(episode));
}

/** Feeds that a read returned although no upload since `from` can have changed them on that device. */
function earlyFeeds({ call, answer }: Exchange, uploads: readonly Exchange[], from: number): string[] {
  const device = call.path.split(/[/.]/).at(-2);
  const areLinked = uploads.some(isLink);
  const late = uploads.filter(
    (upload) => upload.ended.order > from && !isEpisodes(upload) && (areLinked || upload.client === device),
  );
  const feeds: string[] = [...answer.add, ...answer.remove];
  return feeds.filter((feed) => !late.some((upload) => mayChange(feed, upload)));
}

const mayChange = (feed: string, upload: Exchange): boolean =>
  isLink(upload) || upload.call.method === 'PUT' || JSON.stringify(upload.call.body).includes(JSON.stringify(feed));

/** Marks rise, except those of overlapping uploads. They are valid times, and never far ahead of the clock. */
export function expectRisingMarks(exchanges: readonly Exchange[]): void {
  const uploads = uploadsOf(exchanges);
  for (const exchange of exchanges.filter(hasMark)) {
    const mark = exchange.answer.timestamp;
    expect(Number.isInteger(mark) && mark > 0 && mark < 2 ** 31, `${mark} is a valid time`).toBe(true);

    const { began, ended } = exchange;
    const earlier = exchanges.filter((each) => hasMark(each) && each.ended.order < began.order);
    const highest = Math.max(0, ...earlier.map(({ answer }) => answer.timestamp));
    const mayFall = !isRead(exchange) && overlapping(exchange, uploads).length > 0;
    expect(mark).toBeGreaterThanOrEqual(mayFall ? Math.min(highest, began.at - OVERLAP) : highest);

    const before = uploads.filter((upload) => upload.began.order < ended.order).length;
    expect(mark).toBeLessThanOrEqual(ended.at + 2 * before + 1);
  }
}
