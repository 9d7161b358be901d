import type { KeyValueStore } from './contract.ts';
import { StorageError } from './errors.ts';
import { updateValue } from './values.ts';

/** Raise it with every change after which an older podsync would misread what a newer one has written. */
export const FORMAT = 8;

export const FORMAT_KEY = 'k/format';

/**
 * Records the format of keys and values in a new store. Rejects with `corrupt`, and changes nothing, if another version of
 * podsync has written it in another format.
 */
export async function checkFormat(store: KeyValueStore): Promise<void> {
  const format = await updateValue<number, number>(store, FORMAT_KEY, (stored) =>
    stored === undefined ? { result: FORMAT, value: FORMAT } : { result: stored },
  );
  if (format === FORMAT) return;
  const problem = `the data was written by a podsync of another version (format ${format}, this one supports ${FORMAT})`;
  throw new StorageError(
    'corrupt',
    format > FORMAT
      ? `${problem}; install that version, or restore a backup from before the upgrade into an empty storage`
      : `${problem}; export it with that version (--format backup), and import the backup into an empty storage`,
  );
}
