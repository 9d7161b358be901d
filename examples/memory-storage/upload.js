import { markAfter, markAfterUpload, nextStamp } from 'podsync/old-plugin';

/** @import { OpenContext, Stamp } from 'podsync/old-plugin' */
/** @import { Account } from './account.js' */

/**
 * One upload: what `store` finds to be news goes under one stamp; without news there is none. Answers the mark.
 *
 * There is no lock because there is no `await`: nothing comes between reading the time and storing. A plugin that has to
 * wait in here holds a lock of the user from before it reads the time until what it wrote can be read.
 *
 * @param {Account} account
 * @param {OpenContext} context
 * @param {{ devices: readonly string[], origin: string | undefined }} from the devices named, and what `originOf` says
 * @param {(stamp: Stamp) => boolean} store
 * @returns {Stamp}
 */
export function upload(account, { now, overlap }, { devices, origin }, store) {
  const at = now();
  const recent = account.uploads.filter((earlier) => at - earlier.at < overlap);
  const overlapped = recent.find((earlier) => origin === undefined || earlier.origin !== origin)?.stamp;

  const stamp = nextStamp(at, account.last);
  const isNews = store(stamp);
  const areBroughtNews = account.welcome(devices, stamp);
  if (isNews || areBroughtNews) {
    account.last = stamp;
    // A new device has yet to hear what the others brought it: for all that comes after, another one sent this.
    account.uploads = [...recent, { at, stamp, ...(origin !== undefined && !areBroughtNews && { origin }) }];
  }
  return markAfterUpload(areBroughtNews ? stamp - 1 : markAfter(account.last), overlapped);
}
