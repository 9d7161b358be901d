import { StorageError } from 'podsync/old-plugin';

/** @import { Seconds, Session, Url, User, UserId } from 'podsync/old-plugin' */
/** @import { Account } from './account.js' */
/** @import { Entry } from './directory.js' */

/** One backend. */
export class Data {
  /** @type {Map<UserId, Account>} */
  accounts = new Map();
  /** @type {Map<string, Session>} */
  sessions = new Map();
  /** By the URL that they are shown under. @type {Map<Url, Entry>} */
  podcasts = new Map();
  /** As first seen, by slug. @type {Map<string, string>} */
  tagTitles = new Map();
  /** Oldest first. @type {{ at: Seconds, urls: Url[] }[]} */
  toplists = [];
  /** The newest stamp of any episode. */
  directoryStamp = 0;

  /** By any URL that the podcast had. @param {Url} url */
  find(url) {
    return this.podcasts.get(url) ?? [...this.podcasts.values()].find(({ formerUrls }) => formerUrls.includes(url));
  }

  /** Who subscribes to a podcast, under any URL that it had. @param {Url} url */
  subscribers(url) {
    const urls = new Set([url, ...(this.podcasts.get(url)?.formerUrls ?? [])]);
    const isOn = (/** @type {Account} */ { rows }) =>
      [...rows.values()].some((row) => row.subscribed && urls.has(row.url));
    return [...this.accounts.values()].filter(isOn).map(({ user }) => user.id);
  }

  /** URLs and GUIDs of the episodes that anyone acted on. @param {Set<Url>} podcasts */
  acted(podcasts) {
    const actions = [...this.accounts.values()].flatMap((account) => account.actions.map(({ action }) => action));
    return new Set(
      actions.filter(({ podcast }) => podcasts.has(podcast)).flatMap(({ episode, guid }) => [episode, guid]),
    );
  }

  /** By name or e-mail, without case. @param {string} login */
  findUser(login) {
    const wanted = login.toLowerCase();
    return this.users().find(({ name, email }) => name.toLowerCase() === wanted || email?.toLowerCase() === wanted);
  }

  /** Throws `conflict` when another account has the name or the e-mail address. @param {{ name: string, email?: string }} user */
  refuseTaken({ name, email }) {
    for (const login of [name, email]) {
      if (login !== undefined && this.findUser(login)) {
        throw new StorageError('conflict', 'an account with this name or e-mail address exists already');
      }
    }
  }

  /** All that belongs to a user. @param {UserId} id */
  account(id) {
    const account = this.accounts.get(id);
    if (!account) throw new StorageError('missing', 'there is no such account (any more)');
    return account;
  }

  /** @returns {User[]} */
  users() {
    return [...this.accounts.values()].map(({ user }) => user);
  }

  /** @param {UserId} user */
  endSessions(user) {
    for (const session of this.sessions.values()) if (session.user === user) this.sessions.delete(session.digest);
  }
}
