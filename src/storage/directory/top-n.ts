/** The first `limit` items in the order of `compare`, without sorting all. */
export function topN<Item>(items: Iterable<Item>, limit: number, compare: (a: Item, b: Item) => number): Item[] {
  let first: Item[] = [];
  let more: Item[] = [];
  const merge = (): void => {
    first = [...first, ...more].toSorted(compare).slice(0, limit);
    more = [];
  };
  for (const item of items) {
    if (first.length === limit && (limit === 0 || compare(item, first.at(-1)!) >= 0)) continue;
    more.push(item);
    if (more.length > limit) merge();
  }
  merge();
  return first;
}
