/** Splits a list into batches of at most `size` items; none is empty. */
export function* inBatches<Item>(items: readonly Item[], size: number): Iterable<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
