import { isPair, mayBeMisspelt, toQueryTerms, toTerms } from '../../../src/old-plugin.ts';
import { meantBy, reverse, surroundingsOf } from '../sql/misspelling.ts';
import { PODCAST, type PodcastId, type PodcastRow, toSearchedTexts } from '../sql/podcast-row.ts';
import type { Database } from './database.ts';

/** Full-text index of the podcasts. All of it to be called inside a read or a write. */
export interface SearchIndex {
  /** Indexes podcasts as they are now. */
  update(ids: readonly PodcastId[]): void;
  remove(id: PodcastId): void;
  /**
   * Those that have all words of the text, or words that begin so; where there are none, those that have them misspelt;
   * else those that have any. Best first.
   */
  search(text: string, limit: number): PodcastRow[];
}

export function createSearchIndex(database: Database): SearchIndex {
  const find = database.prepare<PodcastRow>(`SELECT ${PODCAST} FROM podcasts WHERE id = @id`);
  const insert = database.prepare(
    `INSERT OR REPLACE INTO search_index (rowid, title, author, tags, description, url)
     VALUES (@id, @title, @author, @tags, @description, @url)`,
  );
  const insertWord = database.prepare('INSERT OR IGNORE INTO search_words (word, reversed) VALUES (@word, @reversed)');
  const remove = database.prepare('DELETE FROM search_index WHERE rowid = @id');
  const match = database.prepare<PodcastRow>(
    `SELECT ${PODCAST} FROM search_index JOIN podcasts ON podcasts.id = search_index.rowid
     WHERE search_index MATCH @query
     ORDER BY bm25(search_index, 8, 4, 3, 1, 2) * (1 + log10(1 + subscribers) / 2), podcasts.url LIMIT @limit`,
  );
  const sameBeginning = database.prepare<{ word: string }>(
    'SELECT word FROM search_words WHERE word >= @from AND word < @to AND length(word) BETWEEN @shortest AND @longest',
  );
  const sameEnd = database.prepare<{ word: string }>(
    `SELECT word FROM search_words
     WHERE reversed >= @from AND reversed < @to AND length(word) BETWEEN @shortest AND @longest`,
  );

  /** Words that this one may be a misspelling of. */
  const meant = (word: string): string[] => {
    if (!mayBeMisspelt(word)) return [];
    const { beginning, ending, ...lengths } = surroundingsOf(word);
    const around = [
      ...sameBeginning.all({ ...lengths, ...range(beginning) }),
      ...sameEnd.all({ ...lengths, ...range(ending) }),
    ];
    return meantBy(
      word,
      around.map((row) => row.word),
    );
  };

  const run = (terms: readonly string[], operator: 'AND' | 'OR', limit: number): PodcastRow[] =>
    match.all({ query: terms.map((term) => `(${term})`).join(` ${operator} `), limit });

  return {
    update(ids) {
      const words = new Set<string>();
      for (const id of ids) {
        const texts = toSearchedTexts(find.get({ id })!);
        const terms = Object.entries(texts).map(([field, text]) => [field, toTerms(text)] as const);
        insert.run({ id, ...Object.fromEntries(terms.map(([field, found]) => [field, found.join(' ')])) });
        for (const [, found] of terms) for (const term of found) if (!isPair(term)) words.add(term);
      }
      for (const word of words) insertWord.run({ word, reversed: reverse(word) });
    },
    remove: (id) => void remove.run({ id }),
    search(text, limit) {
      const words = toQueryTerms(text);
      if (words.length === 0) return [];
      const exact = words.map(beginsWith);
      const all = run(exact, 'AND', limit);
      if (all.length > 0) return all;
      const near = words.map((word) => [beginsWith(word), ...meant(word).map(quote)].join(' OR '));
      const misspelt = run(near, 'AND', limit);
      return misspelt.length > 0 ? misspelt : run(near, 'OR', limit);
    },
  };
}

/** A term has letters and digits only, and quotes make it no word of the query language. */
const quote = (term: string): string => `"${term}"`;

/** The whole word counts twice. */
const beginsWith = (term: string): string => `${quote(term)} OR ${quote(term)} *`;

/** The range of the texts that begin so. */
const range = (beginning: string): { from: string; to: string } => ({
  from: beginning,
  to: `${beginning}\u{10ffff}`,
});
