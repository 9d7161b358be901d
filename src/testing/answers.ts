import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Entry, Key, KeyValueStore, Version } from '../plugin.ts';

/** A store that checks the types in each answer, so that a test fails with what is wrong with them. */
export const checkAnswers = (store: KeyValueStore): KeyValueStore => ({
  isShared: store.isShared,
  async get(keys) {
    const entries = await store.get(keys);
    ensure(
      entries.length === keys.length,
      () =>
        `get resolved with ${entries.length} entries for ${keys.length} keys; a missing key is undefined, not left out`,
    );
    for (const [n, entry] of entries.entries()) if (entry !== undefined) checkEntry(entry, keys[n]!);
    return entries;
  },
  async list(range) {
    const entries = await store.list(range);
    for (const entry of entries) checkEntry(entry, entry?.key);
    return entries;
  },
  async commit(batch) {
    const version = await store.commit(batch);
    if (version !== undefined) checkVersion('commit resolved with', version, '; after a failed check, with undefined');
    return version;
  },
  ping: () => store.ping(),
  verify: () => store.verify(),
  close: () => store.close(),
});

function checkEntry(entry: Entry, key: Key): void {
  ensure(
    Boolean(entry),
    () => `an entry is ${inspect(entry)}; get must resolve with undefined for a missing key, and list without it`,
  );
  ensure(
    entry.key === key && typeof key === 'string',
    () => `the entry of ${inspect(key)} has the key ${inspect(entry.key)}`,
  );
  ensure(
    typeof entry.value === 'string',
    () => `the value of ${key} is ${inspect(entry.value)}; it must be JSON text, which is a string`,
  );
  checkVersion(`the version of ${key} is`, entry.version);
}

function checkVersion(subject: string, version: Version, otherwise = ''): void {
  ensure(
    Number.isSafeInteger(version) && version !== 0,
    () =>
      `${subject} ${inspect(version)}; it must be a whole number other than 0, up to Number.MAX_SAFE_INTEGER${otherwise}`,
  );
}

/** Fails with a message, which is created only then: nearly all of thousands of entries are valid. */
function ensure(isValid: boolean, message: () => string): void {
  if (!isValid) assert.fail(message());
}
