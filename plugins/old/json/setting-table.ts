import { type Json, scopeKey, type SettingScope } from '../../../src/old-plugin.ts';

/** Settings of one scope. A map, because `__proto__` is a key like any other. */
export type Values = ReadonlyMap<string, Json>;

export interface SettingChange {
  scope: SettingScope;
  set: [key: string, value: Json][];
  remove: string[];
}

/** The settings of one scope as the snapshot has them. */
export interface SettingRow {
  scope: SettingScope;
  values: [key: string, value: Json][];
}

/** All settings of one user. */
export class SettingTable {
  readonly #scopes: Map<string, { scope: SettingScope; values: Values }>;

  constructor(rows: readonly SettingRow[]) {
    this.#scopes = new Map(rows.map(({ scope, values }) => [scopeKey(scope), { scope, values: new Map(values) }]));
  }

  get(scope: SettingScope): Values {
    return this.#scopes.get(scopeKey(scope))?.values ?? new Map();
  }

  /** What the change leaves of its scope. */
  after({ scope, set, remove }: SettingChange): Values {
    const values = new Map([...this.get(scope), ...set]);
    for (const key of remove) values.delete(key);
    return values;
  }

  apply(change: SettingChange): void {
    const values = this.after(change);
    const { scope } = change;
    if (values.size > 0) this.#scopes.set(scopeKey(scope), { scope, values });
    else this.#scopes.delete(scopeKey(scope));
  }

  /** The scopes of one kind that have this key. */
  withKey(kind: SettingScope['kind'], key: string): { scope: SettingScope; value: Json }[] {
    return [...this.#scopes.values()].flatMap(({ scope, values }) => {
      const value = scope.kind === kind ? values.get(key) : undefined;
      return value === undefined ? [] : [{ scope, value }];
    });
  }

  rows(): SettingRow[] {
    return [...this.#scopes.values()].map(({ scope, values }) => ({ scope, values: [...values] }));
  }
}
