import type { H3Event } from 'h3';
import type { Url, UserId } from '../domain/types.ts';
import type { Identity } from '../http/identity.ts';
import type { Directory } from '../services/directory/directory.ts';

/** What somebody sees of a list. */
interface SharedList {
  urls: readonly Url[];
  /** Set where the answer is for the owner alone. */
  owner?: UserId;
}

/** Addresses that look secret are shown to the owner of the list only, who is looked for where there are any. */
export async function viewSharedList(
  event: H3Event,
  { urls, owner }: { urls: readonly Url[]; owner: UserId },
  { directory, identity }: { directory: Directory; identity: Identity },
): Promise<SharedList> {
  const shown = await directory.withoutSecrets(urls);
  if (shown.length === urls.length) return { urls };
  const visitor = await identity.viewer(event);
  return visitor?.id === owner ? { urls, owner } : { urls: shown };
}
