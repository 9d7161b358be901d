import type { Url } from './types.ts';
import { decodePercent, hasCredentials } from './url.ts';

/*
 * Each pattern takes linear time for any address, as a request for a shared list checks all of its addresses.
 */

/** A query parameter with a value, whose name contains one of these words, such as `auth` and `access_token`. */
const SECRET_PARAMETER =
  /(?<![a-z])(?:access|apikey|auth|authkey|authtoken|jwt|key|pass|passphrase|passwd|password|pwd|secret|sig|signature|token)(?![a-z])[^=&;]{0,50}=(?![&;]|$)/i;

/** The start of a JSON object in base64, as in signed tokens. */
const ENCODED_OBJECT = /[/=]eyJ[\w-]{17,}/;

/** Services that give each subscriber a personal feed, with all their subdomains. */
const PERSONAL_HOST =
  /(?:^|\.)(?:glow\.fm|helloaudio\.fm|memberful\.com|passport\.online|patreon\.com|(?:private|subscribers)\.transistor\.fm|supercast\.(?:com|tech)|supportingcast\.fm)$/;

/** Acast+: the show in the path is public, but the segment after it is a subscriber's token, or `default`. */
const ACAST_PLUS = /^access\.acast\.(?:com|cloud)\/rss\/[^/]+\/(?!default(?:$|\/)|$)/;

/** Path segments of private feeds, on services that also have public ones: Substack, RedCircle, Acast and others. */
const PERSONAL_SEGMENT = /\/(?:exclusive|members?|patrons?|personal|premium|private|subscribers?)\//i;

/** Path segments that are long enough for a token. */
const LONG_SEGMENT = /(?<=\/)[\w~.=+-]{20,}(?=\/|$)/g;
/** Words and numbers joined by hyphens or the like, such as a title: not random. */
const WORDS = /^(?:(?:[A-Z]?[a-z]{1,18}|[A-Z]{1,18}|\d{1,8})(?:[-_.+~=]+|$))+$/;

/**
 * Whether a feed URL looks personal, so that anyone who knows it could listen at the subscriber's expense: it has
 * credentials or a parameter such as `token`, or belongs to a service for private feeds. This is a heuristic: a feed
 * with three subscribers is not personal, even if its URL looks so. Takes a sanitized URL.
 */
export function looksSecret(url: Url): boolean {
  if (hasCredentials(url)) return true;
  const [, host = '', path = '', query = ''] = /^https?:\/\/([^/?:]*)[^/?]*([^?]*)\??(.*)$/i.exec(url) ?? [];
  if (PERSONAL_HOST.test(host) || ENCODED_OBJECT.test(url) || ACAST_PLUS.test(host + path)) return true;
  if (PERSONAL_SEGMENT.test(path) && (path.match(LONG_SEGMENT) ?? []).some(looksRandom)) return true;
  return isSecretQuery(decodePercent(query));
}

const looksRandom = (segment: string): boolean => !WORDS.test(segment);

/** Checks the parameters, and also a feed URL in a parameter, as proxy services have it. */
function isSecretQuery(query: string): boolean {
  const words = query.replace(/([a-z])(?=[A-Z])/g, '$1_');
  if (SECRET_PARAMETER.test(words)) return true;
  const inner = query.indexOf('://');
  return inner !== -1 && PERSONAL_HOST.test(/^[^/?:&;]*/.exec(query.slice(inner + 3))![0]);
}
