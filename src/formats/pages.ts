/** How to write a list that may be too long for one text. */
export interface PageWriter<Entry> {
  head: string;
  /** The text of one page. */
  write(page: readonly Entry[]): string;
  /** Between two pages. */
  separator: string;
  end: string;
}

/** Entries as they are written within a JSON array. */
export const writeEntries = (entries: readonly unknown[]): string => JSON.stringify(entries).slice(1, -1);

/** Writes a list, generated while it is sent: the head in one chunk with the first page. */
export async function* writePages<Entry>(
  pages: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  { head, write, separator, end }: PageWriter<Entry>,
): AsyncIterable<string> {
  let before = head;
  for await (const page of pages) {
    yield before + write(page);
    before = separator;
  }
  yield before === head ? head + end : end;
}
