import { regroup, type UserId } from '../../../src/old-plugin.ts';
import { type GroupRow, toGroups } from '../sql/group-row.ts';
import type { Database } from './database.ts';

/** Which devices there are, and which follow each other. All of it to be called inside a read or a write. */
export interface Devices {
  /** Creates those that are unknown, with defaults; answers them. */
  create(user: UserId, ids: readonly string[]): string[];
  has(user: UserId, id: string): boolean;
  groups(user: UserId): string[][];
  setGroups(user: UserId, groups: readonly (readonly string[])[]): void;
  /** The device and all that follow it. */
  following(user: UserId, id: string): string[];
  /** Puts new devices in a group with all others, where the user wants that. False when not. */
  joinAll(user: UserId, created: readonly string[]): boolean;
}

export function createDevices(database: Database): Devices {
  const one = database.prepare<{ group_number: number | null }>(
    'SELECT group_number FROM devices WHERE user_id = @user AND id = @id',
  );
  const all = database.prepare<GroupRow>('SELECT id, group_number FROM devices WHERE user_id = @user ORDER BY place');
  const insert = database.prepare(
    `INSERT INTO devices (user_id, id, caption, type, place)
     SELECT @user, @id, '', 'other', ifnull(max(place), 0) + 1 FROM devices WHERE user_id = @user`,
  );
  const ungroup = database.prepare('UPDATE devices SET group_number = NULL WHERE user_id = @user');
  const group = database.prepare('UPDATE devices SET group_number = @number WHERE user_id = @user AND id = @id');
  const followsAll = database.prepare(
    `SELECT 1 FROM settings
     WHERE user_id = @user AND kind = 'account' AND key = 'sync_devices' AND value = 'true'`,
  );

  const groups = (user: UserId): string[][] => toGroups(all.all({ user }));
  const setGroups: Devices['setGroups'] = (user, next) => {
    ungroup.run({ user });
    for (const [number, ids] of next.entries()) for (const id of ids) group.run({ user, number, id });
  };

  return {
    create(user, ids) {
      const unknown = [...new Set(ids)].filter((id) => !one.get({ user, id }));
      for (const id of unknown) insert.run({ user, id });
      return unknown;
    },
    has: (user, id) => one.get({ user, id }) !== undefined,
    groups,
    setGroups,
    following: (user, id) =>
      (one.get({ user, id })?.group_number ?? null) === null
        ? [id]
        : groups(user).find((members) => members.includes(id))!,
    joinAll(user, created) {
      if (created.length === 0 || !followsAll.get({ user })) return false;
      const rows = all.all({ user });
      setGroups(user, regroup(toGroups(rows), [rows.map(({ id }) => id)], []));
      return true;
    },
  };
}
