import { type Json, scopeKey, type SettingStore } from '../../../src/old-plugin.ts';
import { toScope } from '../sql/setting-records.ts';
import type { Database } from './database.ts';
import type { Stamps } from './stamps.ts';

interface SettingRow {
  key: string;
  value: string;
  /** In the order first set. */
  place: number;
}

/** Sets several keys of a scope; new ones come after `@place`. */
export const SET = `
  INSERT INTO settings (user_id, kind, scope, key, value, place)
  SELECT @user, @kind, @scope, key, value, @place + number
  FROM unnest(@keys::text[], @values::text[]) WITH ORDINALITY AS wanted(key, value, number)
  ON CONFLICT (user_id, kind, scope_key, key) DO UPDATE SET value = excluded.value`;

const IN_SCOPE = 'user_id = @user AND kind = @kind AND scope_key = key_of(@scope)';

export function createSettingStore(database: Database, stamps: Stamps): SettingStore {
  const inScope = database.prepare<SettingRow>(
    `SELECT key, value, place FROM settings WHERE ${IN_SCOPE} ORDER BY place`,
  );
  const set = database.prepare(SET);
  const unset = database.prepare(`DELETE FROM settings WHERE ${IN_SCOPE} AND key = ANY(@keys::text[])`);
  const withKey = database.prepare<{ scope: string; value: string }>(
    'SELECT scope, value FROM settings WHERE user_id = @user AND kind = @kind AND key = @key',
  );

  const toMap = (rows: readonly SettingRow[]): Map<string, Json> =>
    new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as Json]));

  return {
    get: (user, scope) =>
      database.read(async (connection) =>
        Object.fromEntries(toMap(await inScope.all(connection, { user, kind: scope.kind, scope: scopeKey(scope) }))),
      ),

    update: (user, scope, { set: values, remove, limit }) =>
      database.writeFor(user, async (connection) => {
        await stamps.lockUser(connection, user);
        const at = { user, kind: scope.kind, scope: scopeKey(scope) };
        const rows = await inScope.all(connection, at);
        const left = new Map([...toMap(rows), ...Object.entries(values)]);
        for (const key of remove) left.delete(key);
        if (left.size > limit) return undefined;
        const wanted = Object.entries(values).filter(([key]) => left.has(key));
        if (wanted.length > 0) {
          await set.run(connection, {
            ...at,
            keys: wanted.map(([key]) => key),
            values: wanted.map(([, value]) => JSON.stringify(value)),
            place: rows.at(-1)?.place ?? 0,
          });
        }
        if (remove.length > 0) await unset.run(connection, { ...at, keys: remove });
        return Object.fromEntries(left);
      }),

    withKey: (user, kind, key) =>
      database.read(async (connection) =>
        (await withKey.all(connection, { user, kind, key })).map(({ scope, value }) => ({
          scope: toScope(scope),
          value: JSON.parse(value) as Json,
        })),
      ),
  };
}
