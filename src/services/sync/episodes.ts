import type { Clock } from '../../clock.ts';
import { type ActionSource, parseAction } from '../../domain/action.ts';
import { checkDeviceCount } from '../../domain/device.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import type { EpisodeAction, Seconds, Stamp, Url, UserId } from '../../domain/types.ts';
import {
  createRewriteLog,
  checkFeedCount,
  sanitizeFeedUrl,
  type UrlRewrites,
  type UrlRules,
} from '../../domain/url.ts';
import { eachInSlices } from '../../slices.ts';
import type { ActionQuery, PodcastStore, Storage } from '../../storage/stores.ts';

interface EpisodeUploadOptions {
  /** Overrides the device that the actions name. */
  device?: string;
  /**
   * Called with the reason for each action that is skipped. Without it, an invalid one throws; one whose addresses cannot be
   * used is always skipped.
   */
  refuse?(reason: string): void;
}

/**
 * `podcast` as the client writes it. `asStored` returns plays without what is known from the feed: in a copy of the account,
 * a completed play would count as listened to, and be imported twice.
 */
type EpisodeQuery = Omit<ActionQuery, 'podcasts'> & { podcast?: string; asStored?: boolean };

export interface Episodes {
  /**
   * Stores a batch completely or not at all (spec 4.8). Throws `invalid`, naming the index of the action, and `too-large`
   * for more feeds or devices than one upload may contain. Returns the device if all actions name the same one.
   */
  upload(
    user: UserId,
    submitted: readonly unknown[],
    source: ActionSource,
    options?: EpisodeUploadOptions,
  ): Promise<{ mark: Stamp; rewrites: UrlRewrites; device: string | undefined }>;
  /**
   * In upload order, in pages, so that a long history need not fit in memory. A play that was stored with only a position
   * gets `started` 0 and, as `total`, the duration from the feed: apps that need all three would lose the position
   * (AntennaPod sets it to -1).
   */
  query(user: UserId, query: EpisodeQuery): Promise<{ pages: AsyncIterable<EpisodeAction[]>; mark: Stamp }>;
}

export const createEpisodes = (
  { actions, podcasts }: Pick<Storage, 'actions' | 'podcasts'>,
  now: Clock,
  rules: UrlRules,
): Episodes => ({
  async upload(user, submitted, source, { device, refuse } = {}) {
    const rewrites = createRewriteLog();
    const keepCredentials = rules.keepCredentials ?? false;
    const context = { now: now(), keepCredentials, rewrites, source, device };
    const parsed: EpisodeAction[] = [];
    await eachInSlices(submitted, (each, index) => {
      let action: EpisodeAction | undefined;
      try {
        action = parseAction(each, context);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const refusal = invalid(`action ${index}: ${error.message}`);
        if (!refuse) throw refusal;
        refuse(refusal.message);
        return;
      }
      if (action) parsed.push(action);
      else refuse?.(`action ${index}: its addresses must be ASCII and begin with http:// or https://`);
    });
    checkFeedCount(parsed.map(({ podcast }) => podcast));
    checkDeviceCount(parsed.map((action) => action.device));
    const uploader = source === 'server' ? 'server' : 'device';
    const mark = await actions.append(user, parsed, uploader);
    const named = parsed[0]?.device;
    const isOne = parsed.every((action) => action.device === named);
    return { mark, rewrites: rewrites.pairs, device: isOne ? named : undefined };
  },

  async query(user, { podcast, asStored = false, ...filters }) {
    const only = podcast !== undefined && { podcasts: new Set([sanitizeFeedUrl(podcast, rules)]) };
    const { pages, mark } = await actions.query(user, { ...filters, ...only });
    return { pages: asStored ? pages : withDurations(pages, podcasts), mark };
  },
});

async function* withDurations(
  pages: AsyncIterable<EpisodeAction[]>,
  podcasts: Pick<PodcastStore, 'durations'>,
): AsyncIterable<EpisodeAction[]> {
  for await (const page of pages) {
    const known = new Map<Url, ReadonlyMap<string, Seconds>>();
    for (const { podcast, play } of page) {
      if (hasOnlyPosition(play) && !known.has(podcast)) known.set(podcast, await podcasts.durations(podcast));
    }
    yield known.size === 0 ? page : page.map((action) => complete(action, known.get(action.podcast)));
  }
}

const hasOnlyPosition = (play: EpisodeAction['play']): boolean => play !== undefined && play.total === undefined;

function complete(action: EpisodeAction, durations: ReadonlyMap<string, Seconds> | undefined): EpisodeAction {
  const { episode, guid = episode, play } = action;
  if (!hasOnlyPosition(play)) return action;
  const total = durations?.get(guid) ?? durations?.get(episode);
  return total === undefined ? action : { ...action, play: { started: 0, ...play!, total } };
}
