/** The words that every part of podsync shares. */

/** Chosen by the storage plugin when the user is created. The rest of podsync never looks inside. */
export type UserId = string & { readonly __brand: 'UserId' };
/** Feed or media URL, already sanitized by `domain/url`. */
export type Url = string;
/** Whole seconds since 1970. */
export type Seconds = number;
/** Server-issued stamp of a change, one rising line per user; see `domain/stamp`. */
export type Stamp = number;
/**
 * Who sends an upload that names a device: the device itself, or the operator on its behalf, as with an import. The
 * website counts as the operator: the device has yet to hear of it.
 */
export type Sender = 'device' | 'operator';

export const DEVICE_TYPES = ['desktop', 'laptop', 'mobile', 'server', 'other'] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];
export interface Device {
  id: string;
  caption: string;
  type: DeviceType;
  /**
   * An app that knows no devices (Nextcloud): its list is the union of all others, and a change that names
   * it alone is one on all. True or missing.
   */
  followsAll?: boolean | undefined;
}

/** How an app talks to the server. */
export type Dialect = 'gpodder.net' | 'nextcloud';

export interface SubscriptionChange {
  url: Url;
  subscribed: boolean;
}

export const ACTION_TYPES = ['download', 'play', 'delete', 'new'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];
export interface EpisodeAction {
  podcast: Url;
  episode: Url;
  /** The device it happened on, as the client tells it. */
  device?: string | undefined;
  /** The episode's GUID in its feed; clients match on it before the URL. */
  guid?: string | undefined;
  action: ActionType;
  /** When it happened, as the client tells it. Never used by `since`. */
  timestamp: Seconds;
  /** Only on `play`; `started` and `total` come together or not at all. Seconds. */
  play?: { position: number; started?: number; total?: number } | undefined;
}

/** What is known of a podcast beside its feed URL. Anything may be missing until its feed was read. */
export interface PodcastEntry {
  url: Url;
  title?: string;
  description?: string;
  website?: string;
}

/** What a feed says of its podcast. A text is `''` and the logo null where it says nothing, or was not read yet. */
export interface PodcastInfo {
  title: string;
  author: string;
  description: string;
  /** http(s), or `''`. */
  website: string;
  logoUrl: string | null;
  /** Language tag in lower case, such as `en-us`. */
  language: string;
  /** As written, first seen first, each slug once. */
  tags: string[];
  /** Its publisher wants it in no directory (`itunes:block`). */
  blocked: boolean;
}

/** What a feed says of an episode. A text is `''` where it says nothing. */
export interface EpisodeInfo {
  /** Media URL. */
  url: Url;
  guid?: string;
  title: string;
  description: string;
  /** http(s), or `''`. */
  website: string;
  releasedAt?: Seconds;
  /** How long it plays: 1 to `MAX_POSITION`. Missing where the feed does not say. */
  duration?: Seconds;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What a setting is attached to (spec 2.9). */
export type SettingScope =
  | { kind: 'account' }
  | { kind: 'device'; device: string }
  | { kind: 'podcast'; podcast: Url }
  | { kind: 'episode'; podcast: Url; episode: Url };

/** In the order of an export. */
export const SCOPE_KINDS = ['account', 'device', 'podcast', 'episode'] as const satisfies SettingScope['kind'][];

/** A named list of podcasts that a user made (spec 2.8). */
export interface ListSummary {
  /** Short name, unique among the lists of a user; see `domain/slug`. */
  name: string;
  title: string;
}
export interface PodcastList extends ListSummary {
  /** Feeds in the order given, each once. */
  urls: Url[];
}
