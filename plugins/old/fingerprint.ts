import { type BinaryToTextEncoding, hash } from 'node:crypto';
import type { EpisodeAction } from '../../src/old-plugin.ts';

/** A hash of all fields but the GUID: the same for two uploads of one action, and for no others. */
export function fingerprint(action: EpisodeAction, encoding: BinaryToTextEncoding): string {
  const { podcast, episode, device, play } = action;
  // The lengths tell where one text ends and the next begins. JSON would take as long as the hash.
  const numbers = `${action.timestamp} ${play?.position} ${play?.started} ${play?.total}`;
  const texts = `${podcast.length} ${episode.length} ${podcast}${episode}${device === undefined ? '' : `/${device}`}`;
  return hash('sha256', `${action.action} ${numbers} ${texts}`, encoding);
}
