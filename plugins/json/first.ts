/** The first `limit` in the order of `compare`, without sorting all. */
export function firstOf<Item>(items: Iterable<Item>, limit: number, compare: (a: Item, b: Item) => number): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.length === limit) {
      if (limit === 0 || compare(item, first.at(-1)!) >= 0) continue;
      first.pop();
    }
    first.splice(placeOf(item, first, compare), 0, item);
  }
  return first;
}

function placeOf<Item>(item: Item, sorted: readonly Item[], compare: (a: Item, b: Item) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(item, sorted[middle]!) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
