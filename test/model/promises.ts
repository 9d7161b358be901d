import { expect } from 'vitest';
import { type Client, followingPath, playerPath } from './client.ts';
import type { Action } from './library.ts';
import { OVERLAP } from './server.ts';
import type { Exchange } from './world.ts';

/* What the server promises, held against the record of all that was said. */

const isEpisodes = ({ call }: Exchange): boolean =>
  /\/episodes\/|\/episode_action/.test(call.path) || call.path === playerPath;
const isRead = ({ call }: Exchange): boolean => call.method === 'GET';
const hasMark = ({ answer }: Exchange): boolean => answer?.timestamp !== undefined;
const uploadsOf = (exchanges: readonly Exchange[]): Exchange[] =>
  exchanges.filter(
    ({ call }) =>
      call.method !== 'GET' &&
      /\/(?:episodes?|subscriptions|sync-devices|episode_action|subscription_change)\//.test(call.path),
  );
/** Lets the lists of all devices come together, and a change on one be a change on all from then on. */
const isLink = ({ call }: Exchange): boolean => call.method === 'POST' && call.path === followingPath;

const episodesIn = (actions: readonly Action[]): string[] => actions.map(({ episode }) => episode);
const uploadedEpisodes = ({ call }: Exchange): string[] => episodesIn(call.body as Action[]);

/** Every episode action that was told to a client, as often as it was told. */
const told = (exchanges: readonly Exchange[], client: Client): string[] =>
  exchanges
    .filter((each) => each.client === client.name && each.received && isRead(each) && isEpisodes(each))
    .flatMap(({ answer }) => episodesIn(answer.actions));

export function everyActionReachesEverybody(exchanges: readonly Exchange[], clients: readonly Client[]): void {
  const uploads = uploadsOf(exchanges).filter(isEpisodes);
  for (const client of clients) {
    const known = new Set(told(exchanges, client));
    const others = uploads.filter((upload) => upload.client !== client.name).flatMap(uploadedEpisodes);
    expect(
      [...new Set(others)].filter((episode) => !known.has(episode)),
      `lost for ${client.name}`,
    ).toEqual([]);
  }
}

export function nothingIsToldTwice(exchanges: readonly Exchange[], client: Client): void {
  const episodes = told(exchanges, client);
  const repeated = episodes.filter((episode, index) => episodes.indexOf(episode) !== index);
  expect(repeated, `told twice to ${client.name}`).toEqual([]);
}

/** Uploads of other devices that an upload's mark must not jump over. */
const overlapping = (upload: Exchange, uploads: readonly Exchange[]): Exchange[] =>
  uploads.filter(
    ({ client, began, ended }) =>
      client !== upload.client && began.order < upload.ended.order && ended.at > upload.began.at - OVERLAP,
  );

/**
 * What is told at a mark was not yet stored when the mark was handed out: so a change comes again, or comes back to who
 * made it, only where the mark is an upload's that overlaps with another device's, and then only what came since that one.
 */
export function nothingIsToldFromBeforeTheMark(exchanges: readonly Exchange[]): void {
  const uploads = uploadsOf(exchanges);
  /** From here on in the order of all that happened, uploads are told at the mark of this answer. */
  const reachOf = (source: Exchange): number =>
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
    const from = Math.max(...sources.map(reachOf));
    const tooEarly = isEpisodes(read) ? earlyEpisodes(read, uploads, from) : earlyFeeds(read, uploads, from);
    expect(tooEarly, `told to ${read.client} at ${since}`).toEqual([]);
  }
}

/** Episodes that a read tells of although their first upload was over at `from`. */
function earlyEpisodes({ answer }: Exchange, uploads: readonly Exchange[], from: number): string[] {
  const early = new Set(
    uploads.filter((upload) => isEpisodes(upload) && upload.ended.order <= from).flatMap(uploadedEpisodes),
  );
  return episodesIn(answer.actions).filter((episode) => early.has(episode));
}

/** Feeds that a read tells of although no upload since `from` can have changed them on that device. */
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

/** Marks rise, but for an upload's that overlaps; they read as times, and never run far ahead of the clock. */
export function marksRise(exchanges: readonly Exchange[]): void {
  const uploads = uploadsOf(exchanges);
  for (const exchange of exchanges.filter(hasMark)) {
    const mark = exchange.answer.timestamp;
    expect(Number.isInteger(mark) && mark > 0 && mark < 2 ** 31, `${mark} reads as a time`).toBe(true);

    const { began, ended } = exchange;
    const earlier = exchanges.filter((each) => hasMark(each) && each.ended.order < began.order);
    const highest = Math.max(0, ...earlier.map(({ answer }) => answer.timestamp));
    const mayFall = !isRead(exchange) && overlapping(exchange, uploads).length > 0;
    expect(mark).toBeGreaterThanOrEqual(mayFall ? Math.min(highest, began.at - OVERLAP) : highest);

    const before = uploads.filter((upload) => upload.began.order < ended.order).length;
    expect(mark).toBeLessThanOrEqual(ended.at + 2 * before + 1);
  }
}
