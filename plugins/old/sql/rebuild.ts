import type { ToplistRebuild, UserId } from '../../../src/old-plugin.ts';
import type { PodcastId } from './podcast-row.ts';

/** The steps of a rebuild, each a write of its own, so that other writes come in between. */
export interface RebuildSteps {
  /** Corrects who follows what, for the next user. Answers that user; undefined after the last one. */
  followNext(after: UserId, corrected: Set<PodcastId>): Promise<UserId | undefined>;
  /** Corrects the counts of the next podcasts. Answers the last of these; undefined when there are no more. */
  countNext(after: PodcastId, corrected: Set<PodcastId>): Promise<PodcastId | undefined>;
  /** Keeps today's toplist, unless there is one already. */
  keepToday(): Promise<void>;
  /** How many podcasts have subscribers. */
  size(): Promise<number>;
}

/** Comes before all users. */
const NOBODY = '0' as UserId;

/** Recounts all subscribers, user by user and podcast by podcast, then keeps the toplist that comes of it. */
export async function rebuild({ followNext, countNext, keepToday, size }: RebuildSteps): Promise<ToplistRebuild> {
  const corrected = new Set<PodcastId>();
  let user: UserId | undefined = NOBODY;
  while (user !== undefined) user = await followNext(user, corrected);
  let podcast: PodcastId | undefined = 0;
  while (podcast !== undefined) podcast = await countNext(podcast, corrected);
  await keepToday();
  return { podcasts: await size(), corrected: corrected.size };
}
