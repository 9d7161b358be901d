import { logoHash, type Podcast, type PodcastInfo, toSearched, type Url } from '../../../src/old-plugin.ts';

/** Number of a podcast in the tables. */
export type PodcastId = number;

export interface PodcastRow {
  id: PodcastId;
  url: Url;
  title: string;
  author: string;
  description: string;
  website: string;
  logo_url: string | null;
  language: string;
  tags: string;
  subscribers: number;
}

/** The columns of a PodcastRow. */
export const PODCAST = `podcasts.id, podcasts.url, podcasts.title, podcasts.author, podcasts.description,
  podcasts.website, podcasts.logo_url, podcasts.language, podcasts.tags, podcasts.subscribers`;

export const toPodcast = (row: PodcastRow): Podcast => ({
  url: row.url,
  title: row.title,
  author: row.author,
  description: row.description,
  website: row.website,
  logoUrl: row.logo_url,
  language: row.language,
  tags: JSON.parse(row.tags) as string[],
  subscribers: row.subscribers,
});

/** The texts in which a podcast is searched for. */
export const toSearchedTexts = ({
  title,
  author,
  tags,
  url,
  description,
}: PodcastRow): Record<SearchedField, string> => ({
  title,
  author,
  tags: (JSON.parse(tags) as string[]).join(' '),
  url: toSearched(url),
  description,
});

export type SearchedField = 'title' | 'author' | 'tags' | 'url' | 'description';

/** What a feed says of its podcast, as parameters of a statement. */
export const toInfoColumns = ({ logoUrl, tags, ...texts }: PodcastInfo): Record<string, unknown> => ({
  ...texts,
  logoUrl,
  logoHash: logoUrl === null ? null : logoHash(logoUrl),
  tags: JSON.stringify(tags),
});
