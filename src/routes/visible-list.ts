import type { H3Event } from 'h3';
import type { Url, UserId } from '../domain/types.ts';
import type { Identity } from '../http/identity.ts';
import type { Directory } from '../services/directory/directory.ts';

/** The part of a list that the viewer may see. */
interface SharedList {
  urls: readonly Url[];
  /** Set if the response is only for the owner. */
  owner?: UserId;
}

/** Shows addresses that look secret only to the owner of the list. Authenticates the request only if there are any. */
export async function viewSharedList(
  event: H3Event,
  { urls, owner }: { urls: readonly Url[]; owner: UserId },
  { directory, identity }: { directory: Directory; identity: Identity },
): Promise<SharedList> {
  const visible = await directory.withoutSecrets(urls);
  if (visible.length === urls.length) return { urls };
  const user = await identity.optionalUser(event);
  return user?.id === owner ? { urls, owner } : { urls: visible };
}
