import type { Url } from './types.ts';
import { hasCredentials } from './url.ts';

/*
 * Each pattern goes over an address once, however it is made up: whoever reads a shared list has all of its addresses
 * looked at.
 */

/** A query parameter with a value whose name has one of these words in it, such as `auth` and `access_token`. */
const SECRET_PARAMETER =
  /(?<![a-z])(?:access|apikey|auth|authkey|authtoken|jwt|key|pass|passphrase|passwd|password|pwd|secret|sig|signature|token)(?![a-z])[^=&;]{0,50}=(?![&;]|$)/i;

/** What a JSON object begins with in base64, as signed tokens do. */
const ENCODED_OBJECT = /[/=]eyJ[\w-]{17,}/;

/** Services that make each subscriber a feed of their own, with all their subdomains. */
const PERSONAL_HOST =
  /(?:^|\.)(?:glow\.fm|helloaudio\.fm|memberful\.com|patreon\.com|(?:private|subscribers)\.transistor\.fm|supercast\.(?:com|tech)|supportingcast\.fm)$/;

/** What is Acast+: a show on this host is public, but what follows it is a subscriber's token, or `default`. */
const ACAST_PLUS = /^access\.acast\.(?:com|cloud)\/rss\/[^/]+\/(?!default(?:$|\/)|$)/;

/** Path segments that tell the private feeds of a service from its public ones: of Substack, RedCircle, Acast and others. */
const PERSONAL_SEGMENT = /\/(?:exclusive|members?|patrons?|personal|premium|private|subscribers?)\//i;

/** Segments that are long enough for a token. */
const LONG_SEGMENT = /(?<=\/)[\w~.=+-]{20,}(?=\/|$)/g;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i;
/** Words and numbers joined by hyphens or the like, such as a title: nothing random about it. */
const WORDS = /^(?:(?:[A-Z]?[a-z]{1,18}|[A-Z]{1,18}|\d{1,8})(?:[-_.+~=]+|$))+$/;

/**
 * Whether the address of a feed looks as if it were made for one person, so that whoever knows it listens at that
 * person's expense: it has credentials or a parameter such as `token`, or belongs to a service of private feeds. A guess:
 * what three accounts subscribe to is no personal address, whatever this says. Takes a sanitized URL.
 */
export function looksSecret(url: Url): boolean {
  if (hasCredentials(url)) return true;
  const [, host = '', path = '', query = ''] = /^https?:\/\/([^/?:]*)[^/?]*([^?]*)\??(.*)$/i.exec(url) ?? [];
  if (PERSONAL_HOST.test(host) || ENCODED_OBJECT.test(url) || ACAST_PLUS.test(host + path)) return true;
  if (PERSONAL_SEGMENT.test(path) && (path.match(LONG_SEGMENT) ?? []).some(looksRandom)) return true;
  return query !== '' && isSecretQuery(decode(query));
}

const looksRandom = (segment: string): boolean =>
  UUID.test(segment) || !WORDS.test(segment.replace(/\.(?:rss|xml)$/i, ''));

/** Some feeds are read through another service, which has their address in a parameter. */
function isSecretQuery(query: string): boolean {
  const words = query.replace(/([a-z])(?=[A-Z])/g, '$1_');
  if (SECRET_PARAMETER.test(words)) return true;
  const inner = query.indexOf('://');
  return inner !== -1 && PERSONAL_HOST.test(/^[^/?:&;]*/.exec(query.slice(inner + 3))![0]);
}

/** Without percent-encoding; as it is where that is broken. */
function decode(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}
