import { regroup, type UserId } from '../../../src/old-plugin.ts';
import { type GroupRow, toGroups } from '../sql/group-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** Which devices there are, and which follow each other. What changes them is to be called under the user's lock. */
export interface Devices {
  /** Creates new ones, with defaults. */
  create(connection: Connection, user: UserId, ids: readonly string[]): Promise<void>;
  hasAll(connection: Connection, user: UserId, ids: readonly string[]): Promise<boolean>;
  groups(connection: Connection, user: UserId): Promise<string[][]>;
  setGroups(connection: Connection, user: UserId, groups: readonly (readonly string[])[]): Promise<void>;
  /** The device and all that follow it. */
  following(connection: Connection, user: UserId, id: string): Promise<string[]>;
  /** Puts new devices in a group with all others, where the user wants that. False when not. */
  joinAll(connection: Connection, user: UserId, created: readonly string[]): Promise<boolean>;
}

export function createDevices(database: Database): Devices {
  const all = database.prepare<GroupRow>('SELECT id, group_number FROM devices WHERE user_id = @user ORDER BY place');
  const members = database.prepare<{ id: string }>(
    `SELECT id FROM devices WHERE user_id = @user AND group_number = (
       SELECT group_number FROM devices WHERE user_id = @user AND id = @id
     ) ORDER BY place`,
  );
  const known = database.prepare<{ count: number }>(
    'SELECT count(*) AS count FROM devices WHERE user_id = @user AND id = ANY(@ids::text[])',
  );
  const insert = database.prepare(
    `INSERT INTO devices (user_id, id, caption, type, place)
     SELECT @user, id, '', 'other', number + (
       SELECT coalesce(max(place), 0) FROM devices WHERE user_id = @user
     ) FROM unnest(@ids::text[]) WITH ORDINALITY AS named(id, number)`,
  );
  const ungroup = database.prepare('UPDATE devices SET group_number = NULL WHERE user_id = @user');
  const group = database.prepare(
    `UPDATE devices SET group_number = number FROM unnest(@ids::text[], @numbers::integer[]) AS grouped(id, number)
     WHERE user_id = @user AND devices.id = grouped.id`,
  );
  const followsAll = database.prepare(
    `SELECT 1 FROM settings
     WHERE user_id = @user AND kind = 'account' AND key = 'sync_devices' AND value = 'true'`,
  );

  const setGroups: Devices['setGroups'] = async (connection, user, next) => {
    await ungroup.run(connection, { user });
    const numbers = next.flatMap((ids, number) => ids.map(() => number));
    if (numbers.length > 0) await group.run(connection, { user, ids: next.flat(), numbers });
  };

  return {
    async create(connection, user, ids) {
      if (ids.length > 0) await insert.run(connection, { user, ids });
    },
    async hasAll(connection, user, ids) {
      const named = [...new Set(ids)];
      return (await known.get(connection, { user, ids: named }))!.count === named.length;
    },
    groups: async (connection, user) => toGroups(await all.all(connection, { user })),
    setGroups,
    async following(connection, user, id) {
      const found = (await members.all(connection, { user, id })).map((row) => row.id);
      return found.length === 0 ? [id] : found;
    },
    async joinAll(connection, user, created) {
      if (created.length === 0 || !(await followsAll.get(connection, { user }))) return false;
      const rows = await all.all(connection, { user });
      await setGroups(connection, user, regroup(toGroups(rows), [rows.map(({ id }) => id)], []));
      return true;
    },
  };
}
