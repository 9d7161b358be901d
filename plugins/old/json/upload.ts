import { markAfter, markAfterUpload, nextStamp, type Stamp, type Url, type UserId } from '../../../src/old-plugin.ts';
import { type Account, NEW_DEVICE } from './account.ts';
import type { AccountChange, AccountWrite, UploadChange } from './account-write.ts';
import type { Database } from './database.ts';

/** What an upload comes to, given the account as it is. */
export interface Decision {
  /** Devices it names; those that are unknown are created. */
  devices: readonly string[];
  /** See `originOf`. */
  origin: string | undefined;
  /** What its stamp goes to: it has one only if this is not empty. */
  changes: readonly UploadChange[];
  /** What else it changes. */
  besides?: readonly AccountChange[];
}

/** Stores one upload under one stamp and answers the mark (see the rules of stamps). */
export const upload = (
  database: Database,
  user: UserId,
  decide: (account: Account) => Decision | Promise<Decision>,
): Promise<Stamp> =>
  database.inLine(user, async () => {
    const account = await database.account(user);
    const decision = await decide(account);
    const newcomers = welcome(account, decision);
    const changes = [...newcomers.besides, ...(decision.besides ?? [])];
    const stamped = [...decision.changes, ...newcomers.changes];
    // What the others bring is news to a newcomer: nobody has seen this upload whole, and no mark may pass it.
    const origin = newcomers.areBroughtNews ? undefined : decision.origin;

    // From here to the write nothing may wait: the time, the stamp and the mark belong together.
    const now = database.context.now();
    const overlapped = account.overlapped(origin, now);
    let mark = database.mark(account);
    let entry: AccountWrite['upload'];
    if (stamped.length > 0) {
      entry = { stamp: nextStamp(now, account.stamp), at: now, origin, changes: stamped };
      account.pending = entry.stamp;
      mark = newcomers.areBroughtNews ? entry.stamp - 1 : markAfter(entry.stamp);
    }
    try {
      if (entry || changes.length > 0) await database.write({ account: { user, changes, upload: entry } });
    } finally {
      account.pending = undefined;
    }
    return markAfterUpload(mark, overlapped);
  });

/** What it takes to create the devices that are unknown, in a group with all others where the user wants that. */
interface Welcome {
  changes: readonly UploadChange[];
  besides: readonly AccountChange[];
  /** Whether there is a feed among them that the upload does not bring itself. */
  areBroughtNews: boolean;
}

function welcome(account: Account, { devices, changes: own }: Decision): Welcome {
  const unknown = devices.filter((id) => !account.devices.has(id));
  const besides: AccountChange[] = unknown.map((id) => ({ kind: 'device', device: { id, ...NEW_DEVICE } }));
  const groups = account.groupsWith(unknown);
  if (groups === account.groups) return { changes: [], besides, areBroughtNews: false };
  const brought = new Set(addedBy(own));
  const changes = account.unite(groups, brought); // to one group: the user wants all devices together
  const areBroughtNews = addedBy(changes).some((url) => !brought.has(url));
  return { changes, besides: [...besides, { kind: 'groups', groups }], areBroughtNews };
}

/** The feeds that are subscribed to by it. */
const addedBy = (changes: readonly UploadChange[]): Url[] =>
  changes
    .flatMap((change) => (change.kind === 'subscribe' ? change.changes : []))
    .filter(({ subscribed }) => subscribed)
    .map(({ url }) => url);
