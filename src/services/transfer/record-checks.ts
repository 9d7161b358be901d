import { parseAction } from '../../domain/action.ts';
import { parseCaption, parseDeviceId } from '../../domain/device.ts';
import { invalid } from '../../domain/errors.ts';
import { LONGEST_WAIT } from '../../domain/feed-wait.ts';
import { checkListTitle, checkListLength } from '../../domain/list.ts';
import { bcryptCost } from '../../domain/password-hash.ts';
import { scopeKey } from '../../domain/scope.ts';
import { findSettingProblem, MAX_SETTINGS, tooManySettings } from '../../domain/setting.ts';
import { MAX_AHEAD } from '../../domain/stamp.ts';
import type { EpisodeAction, PodcastList, Seconds, SettingScope, Stamp } from '../../domain/types.ts';
import { createRewriteLog, type RewriteLog } from '../../domain/url.ts';
import type { AccountRecord, BackupRecord } from '../../formats/backup/record.ts';
import { checkEmail, checkUserName } from '../accounts/accounts.ts';
import { checkAppLabel } from '../accounts/app-passwords.ts';
import { SESSION_LIFE } from '../accounts/sessions.ts';
import { checkEpisode, checkPodcast, checkTag } from './directory-checks.ts';
import { requireFeedUrl, requireMediaUrl, UNUSABLE } from './url-checks.ts';

/** The checks of one import. */
interface RecordChecks {
  /**
   * Returns a record as it is to be stored: times too far in the future are set back to one time, which keeps the order
   * of stamps. Throws `invalid` for what the interface would not have stored.
   */
  accept(record: BackupRecord): BackupRecord;
  /** The number of records with times too far in the future. */
  readonly inFuture: number;
}

/** A SHA-256 as base64url. */
const DIGEST = /^[\w-]{43}$/;
/** The largest number that every storage supports. */
const MAX_COUNT = 2 ** 31 - 1;

/** Checks the records of a backup in order: an account begins with its user. */
export function createRecordChecks(now: Seconds): RecordChecks {
  const latest = now + MAX_AHEAD;
  /** Shared, because any rewrite ends the import. */
  const rewrites = createRewriteLog();
  let inFuture = 0;
  let account = newAccount(0);

  /** The record with its times limited to the latest allowed ones. Throws `invalid` for negative times. */
  const clamp = <Key extends string, T extends { readonly [Each in Key]?: Seconds }>(
    record: T,
    limits: Readonly<Record<Key, Seconds>>,
  ): T => {
    const times = Object.entries<Seconds>(limits).map(([key, most]) => ({ key, most, at: record[key as Key] ?? 0 }));
    if (times.some(({ at }) => at < 0)) throw invalid('a time must be 0 or later');
    const late = times.filter(({ at, most }) => at > most);
    if (late.length === 0) return record;
    inFuture += 1;
    return { ...record, ...Object.fromEntries(late.map(({ key, most }) => [key, most])) };
  };

  const accept = (record: BackupRecord): BackupRecord => {
    switch (record.kind) {
      case 'user': {
        checkUser(record);
        account = newAccount(record.stamp);
        return clamp(record, { createdAt: latest, stamp: latest });
      }
      case 'device':
        parseDeviceId(record.device.id);
        checkCount('place', record.place);
        account.requireUnique('device', record.device.id);
        account.requireUnique('place of a device', String(record.place));
        return { ...record, device: { ...record.device, caption: parseCaption(record.device.caption) } };
      case 'group':
        if (record.devices.length < 2) throw invalid('a group needs at least two devices');
        for (const id of record.devices) {
          account.requireDevice(id);
          account.requireUnique('device in a group', id);
        }
        return record;
      case 'subscription':
        account.requireDevice(record.device);
        requireFeedUrl(record.url);
        checkCount('place', record.place);
        account.requireUnique('subscription', `${record.device}\n${record.url}`);
        account.requireOrder(record.kind, record.stamp);
        return clamp(record, { stamp: latest });
      case 'action':
        checkAction(record.action, rewrites);
        account.requireOrder(record.kind, record.stamp);
        return clamp(record, { stamp: latest, uploadedAt: latest });
      case 'settings':
        checkScope(record.scope);
        account.requireUnique('scope', scopeKey(record.scope));
        checkSettings(record.values);
        return record;
      case 'list':
        checkList(record.list);
        account.requireUnique('list', record.list.name);
        return record;
      case 'appPassword':
        requireDigest(record.digest);
        account.requireUnique('app password', record.digest);
        checkAppLabel(record.label);
        parseDeviceId(record.device);
        return clamp(record, { createdAt: latest, usedAt: latest });
      case 'session':
        requireDigest(record.digest);
        account.requireUnique('session', record.digest);
        return clamp(record, { expiresAt: latest + SESSION_LIFE });
      case 'tag':
        checkTag(record);
        return record;
      case 'podcast':
        checkPodcast(record);
        checkCount('failures', record.feed.failures);
        checkCount('intervalSeconds', record.feed.intervalSeconds);
        return { ...record, feed: clamp(record.feed, { fetchedAt: latest, nextAt: latest + LONGEST_WAIT }) };
      case 'episode':
        checkEpisode(record.episode);
        return { ...record, episode: clamp(record.episode, { stamp: latest }) };
      case 'toplist':
        record.urls.forEach(requireFeedUrl);
        return clamp(record, { at: latest });
    }
  };

  return {
    accept,
    get inFuture() {
      return inFuture;
    },
  };
}

/** The records of an account so far. */
function newAccount(newest: Stamp) {
  const seen = new Set<string>();
  const last = new Map<string, Stamp>();
  return {
    requireUnique(what: string, name: string): void {
      const key = `${what}\n${name}`;
      if (seen.has(key)) throw invalid(`duplicate ${what}`);
      seen.add(key);
    },
    requireDevice(id: string): void {
      if (!seen.has(`device\n${id}`)) throw invalid('it names a device that is not in the backup');
    },
    /** In the order of stamps, and none above that of the account: later changes would get lower stamps. */
    requireOrder(kind: string, stamp: Stamp): void {
      if (stamp > newest) throw invalid('its stamp is above that of the account');
      if (stamp < (last.get(kind) ?? 0)) throw invalid('its stamp is below that of the line before it');
      last.set(kind, stamp);
    },
  };
}

function checkUser({ name, email, passwordHash }: AccountRecord): void {
  checkUserName(name);
  if (email !== undefined) checkEmail(email);
  if (passwordHash !== undefined && bcryptCost(passwordHash) === undefined) {
    throw invalid('"passwordHash" must be of bcrypt, with a cost of 4 to 14');
  }
}

function requireDigest(digest: string): void {
  if (!DIGEST.test(digest)) throw invalid('"digest" must be a SHA-256 as base64url');
}

function checkCount(name: string, count: number): void {
  if (count < 0 || count > MAX_COUNT) throw invalid(`"${name}" must be 0 to ${MAX_COUNT}`);
}

function checkAction(action: EpisodeAction, rewrites: RewriteLog): void {
  const { play } = action;
  const rules = { source: 'server', now: 0, keepCredentials: true, rewrites } as const;
  const parsed = parseAction(play ? { ...action, ...play } : action, rules);
  if (!parsed || rewrites.pairs.length > 0) throw invalid(UNUSABLE);
  const isSame =
    parsed.device === action.device &&
    parsed.guid === action.guid &&
    parsed.play?.position === play?.position &&
    parsed.play?.started === play?.started &&
    parsed.play?.total === play?.total;
  if (!isSame) throw invalid('its "device", "guid" or times are not as podsync stores them');
}

function checkScope(scope: SettingScope): void {
  if (scope.kind === 'device') parseDeviceId(scope.device);
  if (scope.kind === 'podcast' || scope.kind === 'episode') requireFeedUrl(scope.podcast);
  if (scope.kind === 'episode') requireMediaUrl(scope.episode);
}

function checkSettings(values: Extract<BackupRecord, { kind: 'settings' }>['values']): void {
  if (values.length > MAX_SETTINGS) throw tooManySettings();
  if (new Set(values.map(([key]) => key)).size < values.length) throw invalid('duplicate key');
  for (const [index, [key, value]] of values.entries()) {
    const problem = findSettingProblem(key, value);
    if (problem !== undefined) throw invalid(`${problem} (entry ${index})`);
  }
}

function checkList({ name, title, urls }: PodcastList): void {
  checkListTitle(title, name);
  checkListLength(urls);
  urls.forEach(requireFeedUrl);
  if (new Set(urls).size < urls.length) throw invalid('duplicate feed');
}
