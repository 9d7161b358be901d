import { isStorageError, StorageError, type StorageErrorCode } from './errors.ts';

/** What the error codes of a backend mean, and a text that follows its name. The first pattern that matches is used. */
export type ErrorMeanings = readonly (readonly [code: RegExp, meaning: StorageErrorCode, text: string])[];

/** Converts an error of a backend. The message of the cause may contain secrets, so it is not included. */
export function explainError(error: unknown, backend: string, code: string, meanings: ErrorMeanings): StorageError {
  if (isStorageError(error)) return error;
  const [, meaning, text] = meanings.find(([pattern]) => pattern.test(code))!;
  return new StorageError(meaning, `${backend} ${text} (${code})`, { cause: error });
}

/** For data with tables of another version than the supported one. `place` names the file or database. */
export const otherSchema = (place: string, version: number, supported: number): StorageError =>
  new StorageError(
    'corrupt',
    version > supported
      ? `${place} was written by a newer podsync (schema ${version}, this one supports ${supported}); update podsync`
      : `${place} was written by an older podsync (schema ${version}, this one supports ${supported}); export it with that version (--format backup), and import the backup into a new one`,
  );

/** Loads an optional dependency. Rejects with `unavailable`, and how to install it. */
export async function loadOptional<T>(
  load: () => Promise<{ default: T }>,
  name: string,
  version: string,
  needed: string,
): Promise<T> {
  try {
    return (await load()).default;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StorageError(
      'unavailable',
      code === 'ERR_MODULE_NOT_FOUND'
        ? `${needed}; install it next to podsync: npm install ${name}@${version} (with -g if podsync was installed with -g)`
        : `the package ${name} cannot be loaded (${message}); rebuild it: npm rebuild ${name}`,
      { cause: error },
    );
  }
}
