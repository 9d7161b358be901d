import { invalid } from '../domain/errors.ts';
import { findExcess, isJsonObject } from '../domain/json.ts';

/** URLs in a JSON list: an array of strings, or of objects with `url` or `feed`. Throws `invalid` for anything else. */
export function readJsonList(text: string): string[] {
  const list = parse(text);
  if (!Array.isArray(list)) throw invalid('the list must be a JSON array of feed URLs');
  return list.map((entry: unknown, index) => {
    const url = toUrl(entry);
    if (url === undefined) {
      throw invalid(`entry [${index}] of the list must be a feed URL, or an object with one as "url" or "feed"`);
    }
    return url;
  });
}

function parse(text: string): unknown {
  if (text.trim() === '') throw invalid('the list is missing: send a JSON array of feed URLs, [] for none');
  if (findExcess(text)) {
    throw invalid('the list is nested too deeply, or has too many arrays and objects: send an array of feed URLs');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('the list is not valid JSON: send an array of feed URLs');
  }
}

function toUrl(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isJsonObject(entry)) return undefined;
  return [entry.url, entry.feed].find((value) => typeof value === 'string');
}
