/** The parsed value of `--storage`: a plugin and its location. */
interface StorageSpec {
  kind: 'file' | 'package' | 'name';
  plugin: string;
  /** Passed to the plugin's `parse` unchanged. */
  location: string;
}

const POSTGRES_URL = /^postgres(?:ql)?:\/\//;
const FILE = /^(?:[./\\]|file:|[A-Za-z]:[\\/])/;
const PACKAGE = /^(?:@|podsync-storage-)/;
/** Colons that are part of a path: after `file:`, and after a Windows drive letter. */
const PATH_COLONS = /^(?:file:(?:\/\/\/)?)?(?:[A-Za-z]:(?=[\\/]))?/;

/**
 * Reads `PLUGIN:LOCATION`. The first colon parts them; without one the location is empty. What it begins with decides,
 * and one spelling has one meaning:
 *
 * - `.`, `/`, `\`, `file:`, or a drive letter such as `C:\`: a file. A path with a colon in it is written as a `file:`
 *   URL, the colon as `%3A`;
 * - `@` or `podsync-storage-`: a package;
 * - `postgres://` or `postgresql://`: the plugin `postgres`, and all of the URL is the location;
 * - anything else: a built-in plugin, or the package `podsync-storage-NAME`.
 */
export function parseStorageSpec(spec: string): StorageSpec {
  if (POSTGRES_URL.test(spec)) return { kind: 'name', plugin: 'postgres', location: spec };
  const kind = FILE.test(spec) ? 'file' : PACKAGE.test(spec) ? 'package' : 'name';
  const colon = spec.indexOf(':', kind === 'file' ? PATH_COLONS.exec(spec)![0].length : 0);
  if (colon === -1) return { kind, plugin: spec, location: '' };
  return { kind, plugin: spec.slice(0, colon), location: spec.slice(colon + 1) };
}

/** Up to the last `@` of a URL, because a password may contain an unencoded `@` and either `/` or blanks. */
const URL_PASSWORD = /(:\/\/[^\s:@/]*):(?:(?:\S*|[^/\n]*)@)+/g;
const BARE_PASSWORD = /([^\s:@/\\]+):[^\s:@/\\]+@/g;
/** In a query or a list of `key=value` pairs, where a quoted value may contain spaces. */
const NAMED_PASSWORD = /((?:pass(?:word|wd|phrase)?|pwd|secret|token|key)\s*=\s*)(?:'[^']*'|"[^"]*"|[^&;\s]*)/gi;

/** Replaces every password in a text by `***`, as in `user:***@host` and `?password=***`. For messages and logs. */
export const redactLocation = (text: string): string =>
  text.replace(URL_PASSWORD, '$1:***@').replace(BARE_PASSWORD, '$1:***@').replace(NAMED_PASSWORD, '$1***');
