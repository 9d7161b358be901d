import { groupBy } from '../../batches.ts';
import type { Device } from '../../domain/types.ts';
import type { Key } from '../contract.ts';
import type { Activity } from '../stores.ts';

/** Defaults of a new device. */
export const NEW_DEVICE = { caption: '', type: 'other' } as const;

/** A stored device. */
export interface DeviceRow extends Device, Partial<Activity> {
  /** Identifies it in keys; never changes. */
  number: number;
  /** Devices with the same group follow each other. */
  group?: number | undefined;
}

/** The devices of an account, in the order created. Immutable. */
export class DeviceTable {
  readonly rows: readonly DeviceRow[];
  /** Keys under which they are stored. */
  readonly keys: readonly Key[];
  readonly #byId: ReadonlyMap<string, DeviceRow>;

  constructor(rows: readonly DeviceRow[], keys: readonly Key[]) {
    this.rows = rows;
    this.keys = keys;
    this.#byId = new Map(rows.map((row) => [row.id, row]));
  }

  get(id: string): DeviceRow | undefined {
    return this.#byId.get(id);
  }

  find(id: string): Device | undefined {
    const row = this.#byId.get(id);
    return row && toDevice(row);
  }

  /** Devices that follow each other: groups of two or more, in the order created, as are the devices of each. */
  get groups(): string[][] {
    const grouped = this.rows.filter(({ group }) => group !== undefined);
    return Array.from(groupBy(grouped, ({ group }) => group).values(), (rows) => rows.map(({ id }) => id));
  }

  /** The devices that a change on this one applies to, itself included. */
  following(row: DeviceRow): DeviceRow[] {
    if (row.followsAll) return [...this.rows];
    return row.group === undefined ? [row] : this.rows.filter(({ group }) => group === row.group);
  }

  /** With new devices. */
  with(ids: readonly string[], firstNumber: number): DeviceTable {
    const created = ids.map((id, i): DeviceRow => ({ number: firstNumber + i, id, ...NEW_DEVICE }));
    return this.#with([...this.rows, ...created]);
  }

  /** Returns this table itself if nothing changes. */
  patched(id: string, patch: Partial<Omit<Device, 'id'>>): DeviceTable {
    const row = this.#byId.get(id)!;
    const isSame = (key: keyof typeof patch): boolean => (patch[key] ?? row[key]) === row[key];
    if (isSame('caption') && isSame('type') && isSame('followsAll')) return this;
    return this.#with(this.rows.map((each) => (each === row ? { ...row, ...patch } : each)));
  }

  touched(id: string, activity: Activity): DeviceTable {
    return this.#with(this.rows.map((row) => (row.id === id ? { ...row, ...activity } : row)));
  }

  without(id: string): DeviceTable {
    const rest = this.#with(this.rows.filter((row) => row.id !== id));
    return rest.grouped(rest.groups.filter((group) => group.length > 1));
  }

  #with(rows: readonly DeviceRow[]): DeviceTable {
    return new DeviceTable(rows, this.keys);
  }

  grouped(groups: readonly (readonly string[])[]): DeviceTable {
    const groupOf = new Map(groups.flatMap((ids, i) => ids.map((id) => [id, i + 1] as const)));
    return this.#with(this.rows.map((row) => ({ ...row, group: groupOf.get(row.id) })));
  }
}

export const toDevice = ({ id, caption, type, followsAll }: Device): Device => ({
  id,
  caption,
  type,
  ...(followsAll && { followsAll }),
});
