/** Pages that come from elsewhere, one by one, for a reader that takes them as it likes. */
export interface Inbox {
  /** For one reader. */
  readonly pages: AsyncIterable<unknown>;
  /** Resolves once the page is taken; false: no more are wanted. */
  give(page: unknown): Promise<boolean>;
  end(): void;
  /** There should have been more: reading throws. */
  cut(): void;
  /** No more are wanted, whether any was read or not: lets go of whoever still gives. */
  leave(): void;
}

export function createInbox(): Inbox {
  const { readable, writable } = new TransformStream<unknown, unknown>();
  const writer = writable.getWriter();
  return {
    pages: readable,
    give: (page) =>
      writer.write(page).then(
        () => true,
        () => false,
      ),
    end: () => void writer.close().catch(ignore),
    cut: () => void writer.abort(new Error('the pages were cut off')).catch(ignore),
    leave: () => void readable.cancel().catch(ignore),
  };
}

/** The reader has stopped by itself. */
const ignore = (): void => undefined;
