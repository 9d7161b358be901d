/** A device, and the number of the group that it is in, if any. */
export interface GroupRow {
  id: string;
  group_number: number | null;
}

/** The groups that devices are in, each in the order of the rows. */
export function toGroups(rows: readonly GroupRow[]): string[][] {
  const members = new Map<number, string[]>();
  for (const { id, group_number } of rows) {
    if (group_number !== null) members.set(group_number, [...(members.get(group_number) ?? []), id]);
  }
  return [...members.values()];
}
