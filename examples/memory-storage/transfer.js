import { randomUUID } from 'node:crypto';
import { toParts } from 'podsync/old-plugin';
import { toAccount, toRecords } from './account-transfer.js';
import { addToplist, importPodcast, toDirectoryRecords } from './directory-transfer.js';
import { meet } from './podcasts.js';

/** @import { OpenContext, TransferStore, UserId, UserRecord } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

const PAGE = 1000;

/**
 * Everything is in memory already, so the pages are only cut from it. A plugin with a file or a database reads them one
 * by one, and writes what is imported one by one to where nobody looks yet.
 * @type {(data: Data, context: OpenContext) => TransferStore}
 */
export const createTransferStore = (data, context) => ({
  async *exportUser(user) {
    const records = toRecords(data, user);
    for (let i = 0; i < records.length; i += PAGE) {
      yield records.slice(i, i + PAGE);
      data.account(user); // it is still there
    }
  },

  async importUser(pages) {
    /** @type {UserRecord[]} */
    const records = [];
    for await (const page of pages) records.push(...page);

    // From here on nothing waits: the account is there whole or not at all.
    const id = /** @type {UserId} */ (randomUUID());
    const account = toAccount(id, records, context);
    data.refuseTaken(account.user);
    data.accounts.set(id, account);
    for (const record of records) {
      if (record.kind !== 'session' || data.sessions.has(record.digest)) continue;
      data.sessions.set(record.digest, { digest: record.digest, user: id, expiresAt: record.expiresAt });
    }
    const acted = account.actions.map(({ action }) => action.podcast);
    meet(data, [...[...account.rows.values()].map(({ url }) => url), ...acted], context.now());
    return id;
  },

  async *exportDirectory() {
    const records = toDirectoryRecords(data);
    for (let i = 0; i < records.length; i += PAGE) yield records.slice(i, i + PAGE);
  },

  async importDirectory(pages) {
    for await (const part of toParts(pages)) {
      if (part.kind === 'tag' && !data.tagTitles.has(part.tag)) data.tagTitles.set(part.tag, part.title);
      if (part.kind === 'podcast') importPodcast(data, part);
      if (part.kind === 'toplist') addToplist(data, part);
    }
  },

  async clear() {
    for (const each of [data.accounts, data.sessions, data.podcasts, data.tagTitles]) each.clear();
    data.toplists = [];
    data.directoryStamp = 0;
  },
});
