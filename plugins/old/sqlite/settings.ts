import { type Json, scopeKey, type SettingStore } from '../../../src/old-plugin.ts';
import { toScope } from '../sql/setting-records.ts';
import type { Database } from './database.ts';
import { fromColumn, toColumn } from './text.ts';

interface SettingRow {
  key: string | Buffer;
  value: string;
  /** In the order first set. */
  place: number;
}

export function createSettingStore(database: Database): SettingStore {
  const inScope = database.prepare<SettingRow>(
    'SELECT key, value, place FROM settings WHERE user_id = @user AND kind = @kind AND scope = @scope ORDER BY place',
  );
  const set = database.prepare(
    `INSERT INTO settings (user_id, kind, scope, key, value, place)
     VALUES (@user, @kind, @scope, @key, @value, @place)
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  );
  const unset = database.prepare(
    'DELETE FROM settings WHERE user_id = @user AND kind = @kind AND scope = @scope AND key = @key',
  );
  const withKey = database.prepare<{ scope: string; value: string }>(
    'SELECT scope, value FROM settings WHERE user_id = @user AND kind = @kind AND key = @key',
  );

  const toMap = (rows: readonly SettingRow[]): Map<string, Json> =>
    new Map(rows.map(({ key, value }) => [fromColumn(key), JSON.parse(value) as Json]));

  return {
    get: (user, scope) =>
      database.read(() => Object.fromEntries(toMap(inScope.all({ user, kind: scope.kind, scope: scopeKey(scope) })))),

    update: (user, scope, { set: values, remove, limit }) =>
      database.write(() => {
        database.requireUser(user);
        const at = { user, kind: scope.kind, scope: scopeKey(scope) };
        const rows = inScope.all(at);
        const left = new Map([...toMap(rows), ...Object.entries(values)]);
        for (const key of remove) left.delete(key);
        if (left.size > limit) return undefined;
        let place = rows.at(-1)?.place ?? 0;
        for (const [key, value] of Object.entries(values)) {
          if (left.has(key)) set.run({ ...at, key: toColumn(key), value: JSON.stringify(value), place: ++place });
        }
        for (const key of remove) unset.run({ ...at, key: toColumn(key) });
        return Object.fromEntries(left);
      }),

    withKey: (user, kind, key) =>
      database.read(() =>
        withKey
          .all({ user, kind, key: toColumn(key) })
          .map(({ scope, value }) => ({ scope: toScope(scope), value: JSON.parse(value) as Json })),
      ),
  };
}
