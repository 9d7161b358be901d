import { compareScopes, type Json, type SettingScope } from '../../../src/old-plugin.ts';
import type { UserRecordOf } from '../user-records.ts';

/** All settings of an account in the order of an export. `rows` stand in the order first set. */
export function toSettingRecords(
  rows: Iterable<{ scope: string; key: string; value: string }>,
): UserRecordOf<'settings'>[] {
  const scopes = new Map<string, [key: string, value: Json][]>();
  for (const { scope, key, value } of rows) {
    const values = scopes.get(scope) ?? [];
    scopes.set(scope, values);
    values.push([key, JSON.parse(value) as Json]);
  }
  return [...scopes]
    .map(([scope, values]) => ({ kind: 'settings' as const, scope: toScope(scope), values }))
    .toSorted((a, b) => compareScopes(a.scope, b.scope));
}

/** What `scopeKey` made a text of. */
export function toScope(key: string): SettingScope {
  const [kind, device, podcast, episode] = JSON.parse(key) as (string | null)[];
  const parts = Object.entries({ kind, device, podcast, episode }).filter(([, part]) => part !== null);
  return Object.fromEntries(parts) as unknown as SettingScope;
}
