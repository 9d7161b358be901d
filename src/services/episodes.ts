import type { Clock } from '../clock.ts';
import { type ActionSource, parseAction } from '../domain/action.ts';
import { requireFewDevices } from '../domain/device.ts';
import { invalid, Refusal } from '../domain/errors.ts';
import type { EpisodeAction, Stamp, UserId } from '../domain/types.ts';
import { createRewriteLog, requireFewFeeds, sanitizeFeedUrl, type UrlRewrites, type UrlRules } from '../domain/url.ts';
import { mapInSlices } from '../slices.ts';
import type { ActionQuery, ActionStore } from '../storage/stores.ts';

export interface Episodes {
  /**
   * Stores a batch whole (spec 4.8). Throws `invalid` naming the index of what is wrong, and `too-large` for more feeds
   * or devices than one upload may bring, and then nothing is stored.
   */
  upload(
    user: UserId,
    submitted: readonly unknown[],
    source: ActionSource,
  ): Promise<{ mark: Stamp; rewrites: UrlRewrites }>;
  /** In upload order, in pages, so that a long history need not be in memory. `podcast` as the client writes it. */
  query(user: UserId, query: ActionQuery): Promise<{ pages: AsyncIterable<EpisodeAction[]>; mark: Stamp }>;
}

export const createEpisodes = (actions: ActionStore, now: Clock, rules: UrlRules): Episodes => ({
  async upload(user, submitted, source) {
    const rewrites = createRewriteLog();
    const keepCredentials = rules.keepCredentials ?? false;
    const context = { now: now(), keepCredentials, rewrites, source };
    const read = await mapInSlices(submitted, (each, index) => {
      try {
        return parseAction(each, context);
      } catch (error) {
        if (error instanceof Refusal) throw invalid(`action ${index}: ${error.message}`);
        throw error;
      }
    });
    const parsed = read.filter((action) => action !== undefined);
    requireFewFeeds(parsed.map(({ podcast }) => podcast));
    requireFewDevices(parsed.map(({ device }) => device));
    const sender = source === 'server' ? 'operator' : 'device';
    return { mark: await actions.append(user, parsed, sender), rewrites: rewrites.pairs };
  },

  query: (user, { podcast, ...filters }) =>
    actions.query(user, { ...filters, ...(podcast !== undefined && { podcast: sanitizeFeedUrl(podcast, rules) }) }),
});
