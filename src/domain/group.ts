/**
 * Updates device groups: first removes the devices in `leave`, then adds each group of `join`. Groups that share a
 * device are merged; a group of fewer than two devices is dropped.
 */
export function regroup(
  groups: readonly (readonly string[])[],
  join: readonly (readonly string[])[],
  leave: readonly string[],
): string[][] {
  const leaving = new Set(leave);
  let result = groups.map((group) => group.filter((device) => !leaving.has(device)));
  for (const members of join) {
    const joining = new Set(members);
    const overlaps = (group: readonly string[]): boolean => group.some((device) => joining.has(device));
    const merged = new Set([...result.filter(overlaps).flat(), ...joining]);
    result = [...result.filter((group) => !overlaps(group)), [...merged]];
  }
  return result.filter((group) => group.length > 1);
}
