import type { Seconds } from './domain/types.ts';

/*
 * All limits of request bodies: how large each may be, how many are in memory at once, and what a parsed one may
 * contain. `checkFeedCount` and `checkDeviceCount` limit what one upload may name.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** The largest OPML file that the website takes. Megabytes. */
export const MAX_OPML = 1;

/** The largest body of each kind of request. Bytes, as sent and again after decompression. */
export const MAX_BODY = {
  /** Uploads of apps: the default of `--max-body`. */
  upload: 16 * MIB,
  /** `/upload` of the oldest clients, unless `--max-body` is lower: enough for the largest OPML file. */
  legacyUpload: 4 * MIB,
  /** The token with which an app polls for its app password. */
  loginPoll: 4 * KIB,
  /** A form of the website. */
  form: 16 * KIB,
  /** A form with every podcast of a page, and the devices of each. */
  subscriptionsForm: MIB,
  /** A form with the ids of 100 devices. */
  devicesForm: 512 * KIB,
  /** An OPML file. */
  opmlFile: MAX_OPML * MIB,
  /** A form with its text: in UTF-8, with the line ends of a form, it takes up to three times as much. */
  opmlForm: 3 * MAX_OPML * MIB + 16 * KIB,
  /** 16 MiB of OPML as JSON, from `podsync import-opml`. */
  operatorOpml: 32 * MIB,
  /** A chunk of `podsync pull`: all settings of an account, a long list, or a thousand actions with long URLs. */
  operatorPull: 64 * MIB,
} as const;

/** The most that `--max-body` accepts. Bytes. */
export const HIGHEST_MAX_BODY = 256 * MIB;

/** Larger bodies wait for room in a budget, and are parsed in a separate thread. Bytes. */
export const SMALL_BODY = 64 * KIB;

/** Limits of a body budget: see `createBodyBudget`. */
export interface BudgetLimits {
  /** Bytes of all bodies. A larger body gets the whole budget to itself. */
  bytes: number;
  /** Bodies of one sender that may wait. */
  waiting: number;
  /** The longest that a body waits. */
  wait: Seconds;
  /** How long receiving a body may take while others wait. */
  receive: Seconds;
}

/** For large uploads of users and the operator. */
export const UPLOAD_BUDGET: BudgetLimits = { bytes: 16 * MIB, waiting: 8, wait: 30, receive: 10 };

/** For large forms, which anybody can send: they cannot hold up the uploads of users. */
export const FORM_BUDGET: BudgetLimits = { ...UPLOAD_BUDGET, bytes: 8 * MIB };

/** A rejected body is read up to this size and discarded, as some clients do not read a response while they send. Bytes. */
export const MAX_DISCARDED = 64 * MIB;

/** Fields of a form, including files; forms in which many items are selected have limits of their own. */
export const MAX_FORM_FIELDS = 50;

/** What parsing one body may take: several times what a valid one of 16 MiB needs. */
export const PARSER_LIMITS: { time: Seconds; megabytes: number } = { time: 20, megabytes: 256 };

/** Entries of a JSON array: more than the number of actions that fit into 16 MiB. */
export const MAX_ENTRIES = 100_000;

/** Values and keys of a JSON body that is not an array, or of one entry of an array. */
export const MAX_VALUES = 50_000;
