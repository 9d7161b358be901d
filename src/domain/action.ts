import { parseDeviceId } from './device.ts';
import { invalid } from './errors.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { MAX_POSITION, parsePosition } from './position.ts';
import { parseTimestamp } from './timestamp.ts';
import { ACTION_TYPES, type ActionType, type EpisodeAction, type Seconds } from './types.ts';
import { type RewriteLog, sanitizeFeedUrl, sanitizeMediaUrl } from './url.ts';

/** Characters. */
const MAX_GUID = 8192;

/**
 * Source of an action: a client that uses this version of the interface or the Nextcloud dialect, or a server: this one on
 * behalf of a device (website), or another one (pull, backup). In version 1 the position is `HH:MM:SS`, and the GUID may
 * stand for the episode URL (spec 4.9).
 */
export type ActionSource = 1 | 2 | 'nextcloud' | 'server';

interface ActionRules {
  source: ActionSource;
  /** Time of the upload, which is the time of an action without a timestamp. */
  now: Seconds;
  keepCredentials: boolean;
  /** Overrides the device of all actions. */
  device?: string | undefined;
  rewrites: RewriteLog;
}

/**
 * Reads one uploaded action (spec 2.7). Undefined if one of its URLs is unusable: only that action is skipped, because
 * clients resend a refused batch forever. Throws `invalid` for anything else.
 */
export function parseAction(value: unknown, rules: ActionRules): EpisodeAction | undefined {
  const { now, keepCredentials, rewrites } = rules;
  if (!isJsonObject(value)) throw invalid('it is not an object');
  const feed = readUrl(value.podcast, 'podcast');
  const media = readUrl(value.episode, 'episode');
  const podcast = rewrites.add(feed, sanitizeFeedUrl(feed, { ascii: true, keepCredentials }));
  const isByGuid = mayBeGuid(value, rules) && isGuid(media);
  const episode = isByGuid ? media : rewrites.add(media, sanitizeMediaUrl(media, { ascii: true }));
  if (podcast === '' || episode === '') return undefined;

  const type = readType(value.action);
  const timestamp = isGiven(value.timestamp) ? parseTimestamp(value.timestamp) : now;
  const device = rules.device ?? (isGiven(value.device) ? parseDeviceId(value.device) : undefined);
  const guid = isByGuid ? media : readGuid(value.guid);
  const play = type === 'play' ? readTimes(toVersion2(value, rules.source)) : undefined;
  // All keys at once: adding them one by one makes the object slower to create, and to write as JSON.
  return { podcast, episode, action: type, timestamp, device, guid, play };
}

/** The times of a play as version 2 has them. Version 1 has only the position; in Nextcloud a missing one is unknown. */
function toVersion2(input: JsonObject, source: ActionSource): JsonObject {
  const { started, position, total } = input;
  if (source === 'nextcloud') return { started: started ?? -1, position: position ?? -1, total: total ?? -1 };
  if (source !== 1) return input;
  const isTime = typeof position === 'string' && position.includes(':');
  return { position: isTime ? parsePosition(position) : position };
}

/** Another server returns a GUID that it received through version 1 in both fields. */
const mayBeGuid = ({ episode, guid }: JsonObject, { source }: ActionRules): boolean =>
  source === 1 || (source === 'server' && guid === episode);

/** Any text that does not start like a usable URL is a GUID; it is kept unchanged. */
const isGuid = (episode: string): boolean => episode.isWellFormed() && /^(?!\s*https?:)[^]{1,1024}$/i.test(episode);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function readUrl(value: unknown, key: string): string {
  if (!isGiven(value)) return '';
  if (typeof value !== 'string') throw invalid(`"${key}" must be a URL`);
  return value;
}

/**
 * A GUID that is too long is ignored, not refused: the episode still has its URL. So is one with half a surrogate pair:
 * strict JSON parsers refuse the whole response that contains it.
 */
function readGuid(value: unknown): string | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof value !== 'string') throw invalid('"guid" must be a string');
  return value.length > MAX_GUID || !value.isWellFormed() ? undefined : value;
}

function readType(value: unknown): ActionType {
  const type = typeof value === 'string' ? value.toLowerCase() : undefined;
  const known = ACTION_TYPES.find((each) => each === type);
  if (!known) throw invalid(`"action" must be one of ${ACTION_TYPES.join(', ')}`);
  return known;
}

/**
 * The times of a play. A negative time means "unknown" (AntennaPod sends -1 for all three): then only a non-negative
 * position is kept, as clients read -1 as "played to the end".
 */
function readTimes(input: JsonObject): EpisodeAction['play'] {
  const started = readTime(input.started, 'started');
  const position = readTime(input.position, 'position');
  const total = readTime(input.total, 'total');
  if ((started ?? 0) < 0 || (position ?? 0) < 0 || (total ?? 0) < 0) {
    return position !== undefined && position >= 0 ? { position } : undefined;
  }
  if (started === undefined && total === undefined) return position === undefined ? undefined : { position };
  if (started === undefined || total === undefined || position === undefined) {
    throw invalid('"started" and "total" must be given together, and with "position"');
  }
  return { position, started, total };
}

function readTime(value: unknown, key: string): number | undefined {
  if (!isGiven(value)) return undefined;
  const seconds = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds <= MAX_POSITION) return seconds;
  throw invalid(`"${key}" must be whole seconds from 0 to ${MAX_POSITION}`);
}
