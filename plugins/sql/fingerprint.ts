import { type BinaryToTextEncoding, hash } from 'node:crypto';
import type { EpisodeAction } from '../../src/plugin.ts';

/** The same for two uploads of one action, and for no others: of all fields but the GUID. */
export function fingerprint(action: EpisodeAction, encoding: BinaryToTextEncoding): string {
  const { podcast, episode, device, play } = action;
  // With the lengths each text can be told from the next one. JSON would take as long as the hash.
  const numbers = `${action.timestamp} ${play?.position} ${play?.started} ${play?.total}`;
  const texts = `${podcast.length} ${episode.length} ${podcast}${episode}${device === undefined ? '' : `/${device}`}`;
  return hash('sha256', `${action.action} ${numbers} ${texts}`, encoding);
}
