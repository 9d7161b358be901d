/**
 * Groups of devices that follow each other, after the devices in `leave` left theirs, and then each of `join` became a
 * group. Groups that share a member become one; a group of fewer than two is dropped.
 */
export function regroup(
  groups: readonly (readonly string[])[],
  join: readonly (readonly string[])[],
  leave: readonly string[],
): string[][] {
  const leaving = new Set(leave);
  let result = groups.map((group) => group.filter((device) => !leaving.has(device)));
  for (const members of join) {
    const named = new Set(members);
    const isMet = (group: readonly string[]): boolean => group.some((device) => named.has(device));
    const merged = new Set([...result.filter(isMet).flat(), ...named]);
    result = [...result.filter((group) => !isMet(group)), [...merged]];
  }
  return result.filter((group) => group.length > 1);
}
