import { isPair, mayBeMisspelt, toQueryTerms, toTerms } from '../../../src/old-plugin.ts';
import { meantBy, reverse, surroundingsOf } from '../sql/misspelling.ts';
import { PODCAST, type PodcastId, type PodcastRow, type SearchedField, toSearchedTexts } from '../sql/podcast-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** Characters: of a longer word only the beginning counts. PostgreSQL takes up to 2,046 bytes. */
const LONGEST = 100;

/** How much a term counts in each field, as one of the letters that PostgreSQL has for that. */
const WEIGHTS = { title: 'A', author: 'B', tags: 'C', url: 'C', description: 'D' } as const;
/** What the letters D, C, B and A stand for. */
const RANKS = "'{0.1, 0.3, 0.5, 1}'";

/**
 * Full-text index of the podcasts. Words that may be meant are found by their halves, as trigrams of PostgreSQL need an
 * extension, and know no letters beyond ASCII where its locale is C.
 */
export interface SearchIndex {
  /** Indexes podcasts as they are now. To be called inside a write. */
  update(connection: Connection, ids: readonly PodcastId[]): Promise<void>;
  /**
   * Those that have all words of the text, or words that begin so; where there are none, those that have them misspelt;
   * else those that have any. Best first.
   */
  search(connection: Connection, text: string, limit: number): Promise<PodcastRow[]>;
}

export function createSearchIndex(database: Database): SearchIndex {
  const find = database.prepare<PodcastRow>(`SELECT ${PODCAST} FROM podcasts WHERE id = ANY(@ids::bigint[])`);
  const insert = database.prepare(
    `INSERT INTO search_index (podcast_id, terms)
     SELECT id, terms::tsvector FROM unnest(@ids::bigint[], @terms::text[]) AS found(id, terms)
     ON CONFLICT (podcast_id) DO UPDATE SET terms = excluded.terms`,
  );
  // Sorted, so that no two wait for each other.
  const insertWords = database.prepare(
    `INSERT INTO search_words (word, reversed)
     SELECT word, reversed FROM unnest(@words::text[], @reversed::text[]) AS found(word, reversed)
     ORDER BY word COLLATE "C" ON CONFLICT DO NOTHING`,
  );
  const match = database.prepare<PodcastRow>(
    `SELECT ${PODCAST} FROM search_index JOIN podcasts ON podcasts.id = podcast_id
     WHERE terms @@ @query::tsquery
     ORDER BY ts_rank(${RANKS}, terms, @query::tsquery) * (1 + log(1 + subscribers) / 2) DESC, podcasts.url
     LIMIT @limit`,
  );
  const LENGTH = 'length(word) BETWEEN @shortest AND @longest';
  const near = database.prepare<{ word: string }>(
    `SELECT word FROM search_words WHERE word >= @first AND word < @firstEnd AND ${LENGTH}
     UNION SELECT word FROM search_words WHERE reversed >= @second AND reversed < @secondEnd AND ${LENGTH}
     ORDER BY word`,
  );

  /** Words that this one may be a misspelling of. */
  const meant = async (connection: Connection, word: string): Promise<string[]> => {
    if (!mayBeMisspelt(word)) return [];
    const { beginning, ending, ...lengths } = surroundingsOf(word);
    const rows = await near.all(connection, {
      ...lengths,
      first: beginning,
      firstEnd: beginning + LAST,
      second: ending,
      secondEnd: ending + LAST,
    });
    return meantBy(
      word,
      rows.map((row) => row.word),
    );
  };

  const run = (
    connection: Connection,
    terms: readonly string[],
    operator: '&' | '|',
    limit: number,
  ): Promise<PodcastRow[]> =>
    match.all(connection, { query: terms.map((term) => `(${term})`).join(` ${operator} `), limit });

  return {
    async update(connection, ids) {
      if (ids.length === 0) return;
      const entries = (await find.all(connection, { ids: [...ids] })).map((row) => ({ id: row.id, ...toEntry(row) }));
      await insert.run(connection, { ids: entries.map(({ id }) => id), terms: entries.map(({ terms }) => terms) });
      const words = [...new Set(entries.flatMap((entry) => entry.words))];
      await insertWords.run(connection, { words, reversed: words.map(reverse) });
    },
    async search(connection, text, limit) {
      const words = [...new Set(toQueryTerms(text).map(shorten))];
      if (words.length === 0) return [];
      const all = await run(connection, words.map(beginsWith), '&', limit);
      if (all.length > 0) return all;
      const alternatives: string[] = [];
      for (const word of words) {
        alternatives.push([beginsWith(word), ...(await meant(connection, word)).map(quote)].join(' | '));
      }
      const misspelt = await run(connection, alternatives, '&', limit);
      return misspelt.length > 0 ? misspelt : run(connection, alternatives, '|', limit);
    },
  };
}

/** The terms of a podcast as a `tsvector` is written, and its words. */
function toEntry(row: PodcastRow): { terms: string; words: string[] } {
  const fields = Object.entries(toSearchedTexts(row)).map(([field, text]) => ({
    weight: WEIGHTS[field as SearchedField],
    terms: toTerms(text).map(shorten),
  }));
  const terms = fields.flatMap((field) => field.terms.map((term) => ({ term, weight: field.weight })));
  return {
    terms: terms.map(({ term, weight }, at) => `${quote(term)}:${at + 1}${weight}`).join(' '),
    words: terms.map(({ term }) => term).filter((term) => !isPair(term)),
  };
}

const shorten = (term: string): string => (term.length <= LONGEST ? term : [...term].slice(0, LONGEST).join(''));

/** A term has letters and digits only, and quotes make it no word of the query language. */
const quote = (term: string): string => `'${term}'`;

/** The whole word counts twice. */
const beginsWith = (term: string): string => `${quote(term)} | ${quote(term)}:*`;

/** Appended to a text, comes after all texts that begin with it. */
const LAST = '\u{10ffff}';
