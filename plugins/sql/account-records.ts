import { compareScopes, compareText, type Json, type SettingScope, type UserRecord } from '../../src/plugin.ts';

/** One kind of the records that an account is made of. */
export type UserRecordOf<Kind extends UserRecord['kind']> = Extract<UserRecord, { kind: Kind }>;

/** The device groups of an account in the order of an export. */
export const toGroupRecords = (groups: readonly (readonly string[])[]): UserRecordOf<'group'>[] =>
  groups
    .map((group) => group.toSorted(compareText))
    .toSorted(([a], [b]) => compareText(a!, b!))
    .map((devices) => ({ kind: 'group', devices }));

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

/** Records of a page. */
const PAGE = 1000;

/** All of the records in pages, none empty. */
export function* pagesOf(records: readonly UserRecord[]): Iterable<UserRecord[]> {
  for (let at = 0; at < records.length; at += PAGE) yield records.slice(at, at + PAGE);
}
