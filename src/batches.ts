/** Splits a list into batches of at most `size` items; none is empty. */
export function* inBatches<Item>(items: readonly Item[], size: number): Iterable<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** The items by key, each group in order. As `Map.groupBy`, which Node 20 does not have. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
