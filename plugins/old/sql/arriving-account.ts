import type { Url, UserRecord } from '../../../src/old-plugin.ts';
import { userNotFirst } from '../errors.ts';
import type { UserRecordOf } from '../user-records.ts';

/** What an account has besides its name and its history. */
export type Belonging = Exclude<UserRecord, { kind: 'user' | 'action' }>;

/** What has come so far of an account that is being imported, except its history. */
export class ArrivingAccount {
  readonly belongings: Belonging[] = [];
  /** The feeds of its history. */
  readonly actedOn = new Set<Url>();
  #user: UserRecordOf<'user'> | undefined;

  /** Throws `corrupt` when no record has told of the user yet. */
  get user(): UserRecordOf<'user'> {
    if (this.#user) return this.#user;
    throw userNotFirst();
  }

  /** The feeds that any device subscribes to, or once did. */
  get feeds(): Url[] {
    return this.belongings.flatMap((each) => (each.kind === 'subscription' ? [each.url] : []));
  }

  /** Takes in a page; answers its actions, which go to the history. */
  take(page: readonly UserRecord[]): UserRecordOf<'action'>[] {
    const actions: UserRecordOf<'action'>[] = [];
    for (const record of page) {
      if (record.kind === 'user') this.#user = record;
      else if (record.kind === 'action') actions.push(record);
      else this.belongings.push(record);
    }
    for (const { action } of actions) this.actedOn.add(action.podcast);
    return actions;
  }
}
