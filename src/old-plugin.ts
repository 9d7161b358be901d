/** The entry point for authors of storage plugins: the contract, its errors, and the rules that all plugins share. */
export type * from './storage/stores.ts';
export type * from './domain/types.ts';
export { type DirectoryPart, type PodcastPart, toParts } from './storage/directory-parts.ts';
export { type Attempts, createAttemptStore, weighAttempts } from './storage/attempts.ts';
export { isStorageError, StorageError, type StorageErrorCode } from './storage/errors.ts';
export { compareText } from './domain/text-order.ts';
export { regroup } from './domain/group.ts';
export { logoHash } from './domain/logo.ts';
export { compareScopes, scopeKey } from './domain/scope.ts';
export { createSlug } from './domain/slug.ts';
export { markAfter, markAfterUpload, nextStamp, originOf } from './domain/stamp.ts';
export { areNear, isPair, mayBeMisspelt, toQueryTerms, toSearched, toTerms } from './domain/terms.ts';
export { createThread, serveThread, type Thread } from './thread.ts';
export { Turns } from './turns.ts';

import type { OldPlugin } from './storage/stores.ts';

/** Types a plugin without a cast: `export default defineOldPlugin({ name, contract: 1, parse, open })`. */
export const defineOldPlugin = <Options>(plugin: OldPlugin<Options>): OldPlugin<Options> => plugin;
