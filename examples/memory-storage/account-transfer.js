import { compareScopes, compareText, scopeKey, StorageError } from 'podsync/old-plugin';
import { Account } from './account.js';
import { fingerprint } from './actions.js';

/** @import { OpenContext, UserId, UserRecord } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/** All of an account, in the order that every storage has. @param {Data} data @param {UserId} id @returns {UserRecord[]} */
export function toRecords(data, id) {
  const account = data.account(id);
  const { id: _, ...user } = account.user;
  const devices = [...account.devices.values()].map((device, index) => ({ device, place: index + 1 }));
  const groups = account.groups.map((group) => group.toSorted(compareText));
  const rows = [...account.rows.values()];
  const settings = [...account.settings.values()].filter(({ values }) => values.size > 0);
  const sessions = [...data.sessions.values()].filter((session) => session.user === id);
  /** @type {UserRecord[]} */
  const records = [{ kind: 'user', ...user, stamp: account.last }];
  for (const { device, place } of devices.toSorted((a, b) => compareText(a.device.id, b.device.id))) {
    records.push({ kind: 'device', device, place });
  }
  for (const group of groups.toSorted(([a = ''], [b = '']) => compareText(a, b))) {
    records.push({ kind: 'group', devices: group });
  }
  for (const { place, ...row } of rows.toSorted((a, b) => a.stamp - b.stamp || compareText(a.device, b.device))) {
    records.push({ kind: 'subscription', ...row, place: place + 1 });
  }
  for (const { action, stamp, at } of account.actions) records.push({ kind: 'action', action, stamp, uploadedAt: at });
  for (const { scope, values } of settings.toSorted((a, b) => compareScopes(a.scope, b.scope))) {
    records.push({ kind: 'settings', scope, values: [...values] });
  }
  for (const list of account.lists.values()) records.push({ kind: 'list', list });
  for (const { digest, expiresAt } of sessions.toSorted((a, b) => compareText(a.digest, b.digest))) {
    records.push({ kind: 'session', digest, expiresAt });
  }
  return records;
}

/**
 * The account that these records tell of. What has a stamp of less than the overlap ago counts as one upload of this
 * moment, by nobody knows whom.
 * @param {UserId} id
 * @param {UserRecord[]} records
 * @param {OpenContext} context
 */
export function toAccount(id, [first, ...records], { now, overlap }) {
  if (first?.kind !== 'user') throw new StorageError('corrupt', 'the first record of an account must be its user');
  const { kind: _, stamp, ...user } = first;
  const account = new Account({ id, ...user });
  account.last = stamp;
  const devices = records.filter((record) => record.kind === 'device').toSorted((a, b) => a.place - b.place);
  account.devices = new Map(devices.map(({ device }) => [device.id, device]));
  for (const record of records) {
    if (record.kind === 'group') account.groups.push(record.devices);
    if (record.kind === 'subscription') {
      const { kind: __, place, ...row } = record;
      account.rows.set(JSON.stringify([row.device, row.url]), { ...row, place: place - 1 });
    }
    if (record.kind === 'action') {
      account.actions.push({ action: record.action, stamp: record.stamp, at: record.uploadedAt });
      account.fingerprints.add(fingerprint(record.action));
    }
    if (record.kind === 'settings') {
      account.settings.set(scopeKey(record.scope), { scope: record.scope, values: new Map(record.values) });
    }
    if (record.kind === 'list') account.lists.set(record.list.name, record.list);
  }
  const stamps = [...account.rows.values(), ...account.actions].map((each) => each.stamp);
  const recent = stamps.filter((each) => each > now() - overlap).toSorted((a, b) => a - b);
  account.uploads = recent.slice(0, 1).map((oldest) => ({ stamp: oldest, at: now() }));
  return account;
}
