import { parseDeviceId } from '../../domain/device.ts';
import { invalid } from '../../domain/errors.ts';
import { toWebScheme } from '../../domain/feed-scheme.ts';
import type { PodcastEntry, Url, UserId } from '../../domain/types.ts';
import { sanitizeFeedUrl, type UrlRules, redactUrl } from '../../domain/url.ts';
import { MAX_DESCRIPTION, MAX_TITLE } from '../../feeds/fields.ts';
import { pageUrl } from '../../feeds/links.ts';
import { plainLine, plainText } from '../../feeds/text.ts';
import type { PodcastStore } from '../../storage/stores.ts';
import { explainRefusal } from './feed-urls.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The result for the feeds of a file, each once and in file order. Addresses are without the passwords in them. */
export interface OpmlImportReport {
  added: Url[];
  /** The device already had them. */
  present: Url[];
  /** The device had them, but the file does not. */
  removed: Url[];
  /** Feeds stored under another address than that in the file. */
  rewritten: { from: string; to: Url }[];
  refused: { url: string; reason: string }[];
}

interface OpmlImportChoice {
  device: string;
  /** Unsubscribe from feeds that are not in the file. */
  replace: boolean;
  /** Only report what would change. */
  dryRun: boolean;
}

export interface OpmlImport {
  /**
   * Subscribes a device, which need not exist, to the podcasts of a file, and gives the directory their descriptions.
   * Throws `invalid` for an invalid device id, and instead of replacing a list by an empty one; then nothing changes.
   */
  run(user: UserId, podcasts: readonly PodcastEntry[], choice: OpmlImportChoice): Promise<OpmlImportReport>;
}

export const createOpmlImport = (
  podcasts: Pick<PodcastStore, 'addMetadata'>,
  subscriptions: Pick<Subscriptions, 'find' | 'replace' | 'upload'>,
  rules: UrlRules,
): OpmlImport => ({
  async run(user, entries, { device, replace, dryRun }) {
    parseDeviceId(device);
    const { usable, rewritten, refused } = sanitizeEntries(entries, rules);
    if (replace && entries.length === 0) throw invalid('this file contains no feed');
    if (replace && usable.size === 0) throw invalid('none of the feeds in this file can be used');
    const before = (await subscriptions.find(user, device)) ?? [];
    const had = new Set(before);
    const urls = [...usable.keys()];
    if (!dryRun) {
      if (replace) await subscriptions.replace(user, device, urls, 'server');
      else await subscriptions.upload(user, device, { add: urls, remove: [] }, { uploader: 'server' });
      await podcasts.addMetadata([...usable.values()]);
    }
    return {
      added: urls.filter((url) => !had.has(url)).map(redactUrl),
      present: urls.filter((url) => had.has(url)).map(redactUrl),
      removed: replace ? before.filter((url) => !usable.has(url)).map(redactUrl) : [],
      rewritten,
      refused,
    };
  },
});

/**
 * The usable entries of a file, by the address under which they are stored, and the result for the others. The parser of
 * the file has removed entries with the same address, unless it is empty.
 */
export function sanitizeEntries(entries: readonly PodcastEntry[], rules: UrlRules) {
  const usable = new Map<Url, PodcastEntry>();
  const rewritten: OpmlImportReport['rewritten'] = [];
  const refused: OpmlImportReport['refused'] = [];
  for (const entry of entries) {
    const address = toWebScheme(entry.url);
    const url = sanitizeFeedUrl(address, rules);
    if (url === '') {
      const title = plainLine(entry.title ?? '', MAX_TITLE);
      const reason = address === '' && title !== '' ? `the address of ${title} is empty` : explainRefusal(address);
      refused.push({ url: redactUrl(entry.url), reason });
      continue;
    }
    if (url !== entry.url) rewritten.push({ from: redactUrl(entry.url), to: redactUrl(url) });
    if (!usable.has(url)) usable.set(url, { ...describe(entry), url });
  }
  return { usable, rewritten, refused };
}

/** Sanitized like the text of a feed: everybody sees it until the feed itself is fetched. */
const describe = ({ title = '', description = '', website = '' }: PodcastEntry): Omit<PodcastEntry, 'url'> => ({
  title: plainLine(title, MAX_TITLE),
  description: plainText(description, MAX_DESCRIPTION),
  website: pageUrl(website, website),
});
