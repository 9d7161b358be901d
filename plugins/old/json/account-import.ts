import {
  type Device,
  type EpisodeAction,
  type Seconds,
  type Session,
  type Stamp,
  type Url,
  type User,
  type UserId,
  type UserRecord,
} from '../../../src/old-plugin.ts';
import { userNotFirst } from '../errors.ts';
import type { UserRecordOf } from '../user-records.ts';
import { Account, newContent } from './account.ts';
import { ActionBatch } from './action-batch.ts';
import { History } from './history.ts';
import type { Row } from './subscription-list.ts';

/** An account on its way into a folder of its own. The history goes to files as it comes. */
export class Arrival {
  readonly sessions: Session[] = [];
  readonly #id: UserId;
  readonly #folder: string;
  readonly #history: History;
  readonly #content = newContent(0);
  /** Actions of one upload, not yet in the history. */
  #upload: { stamp: Stamp; at: Seconds; actions: EpisodeAction[] } | undefined;
  readonly #actedOn = new Set<Url>();
  readonly #places = new Map<Device, number>();
  readonly #rows = new Map<string, Row[]>();
  /** Anything with this stamp or a later one may overlap the next upload. */
  readonly #recent: Stamp;
  #overlapped = Infinity;
  #user: User | undefined;

  private constructor(id: UserId, folder: string, history: History, recent: Stamp) {
    this.#id = id;
    this.#folder = folder;
    this.#history = history;
    this.#recent = recent;
  }

  static async open(id: UserId, folder: string, recent: Stamp): Promise<Arrival> {
    return new Arrival(id, folder, await History.open(folder, []), recent);
  }

  /** Throws `corrupt` when no record has told of the user yet. */
  get user(): User {
    if (!this.#user) throw userNotFirst();
    return this.#user;
  }

  async take(records: readonly UserRecord[]): Promise<void> {
    for (const record of records) this.#take(record);
    this.#endUpload();
    await this.#history.saveFull();
  }

  #take(record: UserRecord): void {
    if (record.kind === 'user') {
      const { kind: _, stamp, ...details } = record;
      this.#user = { id: this.#id, ...details };
      this.#content.stamp = stamp;
      return;
    }
    const { id } = this.user;
    switch (record.kind) {
      case 'device':
        this.#places.set(record.device, record.place);
        break;
      case 'group':
        this.#content.groups.push(record.devices);
        break;
      case 'subscription':
        this.#subscribe(record);
        break;
      case 'action':
        this.#act(record);
        break;
      case 'settings':
        this.#content.settings.push(record);
        break;
      case 'list':
        this.#content.lists.push(record.list);
        break;
      case 'session':
        this.sessions.push({ digest: record.digest, user: id, expiresAt: record.expiresAt });
    }
  }

  #subscribe({ device, url, subscribed, stamp, place }: UserRecordOf<'subscription'>): void {
    const rows = this.#rows.get(device) ?? [];
    this.#rows.set(device, rows);
    rows.push({ url, subscribed, stamp, order: place });
    this.#content.nextOrder = Math.max(this.#content.nextOrder, place + 1);
    this.#note(stamp);
  }

  #act({ action, stamp, uploadedAt }: UserRecordOf<'action'>): void {
    if (stamp !== this.#upload?.stamp) {
      this.#endUpload();
      this.#upload = { stamp, at: uploadedAt, actions: [] };
    }
    this.#upload.actions.push(action);
    this.#actedOn.add(action.podcast);
    this.#note(stamp);
  }

  #endUpload(): void {
    if (this.#upload) this.#history.append(ActionBatch.of(this.#upload.actions), this.#upload.stamp, this.#upload.at);
    this.#upload = undefined;
  }

  #note(stamp: Stamp): void {
    if (stamp >= this.#recent) this.#overlapped = Math.min(this.#overlapped, stamp);
  }

  /** Writes what is not written yet; answers the feeds that the account ever had or acted on. */
  async write(now: Seconds): Promise<string[]> {
    await Account.write(this.#folder, {
      ...this.#content,
      devices: [...this.#places].toSorted(([, a], [, b]) => a - b).map(([device]) => device),
      subscriptions: [...this.#rows].map(([device, rows]) => ({ device, rows })),
      uploads: this.#overlapped === Infinity ? [] : [{ stamp: this.#overlapped, at: now }],
      segments: await this.#history.save((segments) => segments),
    });
    const feeds = [...this.#rows.values()].flatMap((rows) => rows.map(({ url }) => url));
    return [...feeds, ...this.#actedOn];
  }
}
