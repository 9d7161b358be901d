import { regroup, scopeKey } from 'podsync/old-plugin';

/** @import { Device, EpisodeAction, Json, PodcastList, Seconds, SettingScope, Stamp } from 'podsync/old-plugin' */
/** @import { SubscriptionChange, User } from 'podsync/old-plugin' */

/**
 * One feed on one device, now or once: other apps must hear that it was removed, too. `place` tells the order in which
 * rows were first added.
 * @typedef {SubscriptionChange & { device: string, stamp: Stamp, place: number }} Row
 */

/** All that belongs to one user. */
export class Account {
  /** @type {User} */
  user;
  /** The newest stamp. A user is born with one, so that every stamp reads like a time. @type {Stamp} */
  last;
  /** In the order created. @type {Map<string, Device>} */
  devices = new Map();
  /** Devices that follow each other. @type {string[][]} */
  groups = [];
  /** By device and URL, in the order last changed. @type {Map<string, Row>} */
  rows = new Map();
  /** In the order uploaded. @type {{ action: EpisodeAction, stamp: Stamp, at: Seconds }[]} */
  actions = [];
  /** What tells a repeated action. @type {Set<string>} */
  fingerprints = new Set();
  /** Uploads that may overlap the next one, oldest first. @type {{ origin?: string, at: Seconds, stamp: Stamp }[]} */
  uploads = [];
  /** By `scopeKey`; maps, as `__proto__` is a key like any other. @type {Map<string, { scope: SettingScope, values: Map<string, Json> }>} */
  settings = new Map();
  /** By name, in the order created. @type {Map<string, PodcastList>} */
  lists = new Map();

  /** @param {User} user */
  constructor(user) {
    this.user = user;
    this.last = user.createdAt;
  }

  /** What these devices subscribe to, in the order first added, each URL once. @param {Iterable<string>} devices */
  subscribed(devices) {
    const wanted = new Set(devices);
    const rows = [...this.rows.values()].filter((row) => row.subscribed && wanted.has(row.device));
    return [...new Set(rows.toSorted((a, b) => a.place - b.place).map(({ url }) => url))];
  }

  /**
   * Makes the same changes on each of these devices. False when they change nothing.
   * @param {readonly string[]} devices
   * @param {readonly SubscriptionChange[]} changes
   * @param {Stamp} stamp
   */
  subscribe(devices, changes, stamp) {
    let isNews = false;
    for (const device of devices) {
      for (const { url, subscribed } of changes) {
        const key = JSON.stringify([device, url]);
        const row = this.rows.get(key);
        if ((row?.subscribed ?? false) === subscribed) continue;
        const place = row?.place ?? this.rows.size;
        this.rows.delete(key); // so that it comes last
        this.rows.set(key, { device, url, subscribed, stamp, place });
        isNews = true;
      }
    }
    return isNews;
  }

  /** Brings each group to the union of its lists. False when that changes nothing. @param {Stamp} stamp */
  unite(stamp) {
    const news = this.groups.map((devices) => {
      const union = this.subscribed(devices).map((url) => ({ url, subscribed: true }));
      return this.subscribe(devices, union, stamp);
    });
    return news.includes(true);
  }

  /** A setting of the whole account. @param {string} key */
  setting(key) {
    return this.settings.get(scopeKey({ kind: 'account' }))?.values.get(key);
  }

  /**
   * Creates the devices that are unknown; where the user wishes it they join all others. True when that brings them
   * anything.
   * @param {readonly string[]} devices
   * @param {Stamp} stamp
   */
  welcome(devices, stamp) {
    const unknown = devices.filter((id) => !this.devices.has(id));
    for (const id of unknown) this.devices.set(id, { id, caption: '', type: 'other' });
    if (unknown.length === 0 || this.setting('sync_devices') !== true) return false;
    const before = this.subscribed(unknown).length;
    this.groups = regroup(this.groups, [[...this.devices.keys()]], []);
    this.unite(stamp);
    return this.subscribed(unknown).length > before;
  }
}
