import { parseDeviceId } from './device.ts';
import { invalid } from './errors.ts';
import { compareText } from './text-order.ts';
import { SCOPE_KINDS, type SettingScope, type Url } from './types.ts';
import { sanitizeFeedUrl, sanitizeMediaUrl, type UrlRules } from './url.ts';

/** A scope as requested by a client. */
export interface ScopeRequest {
  scope: string;
  device?: string | undefined;
  podcast?: string | undefined;
  episode?: string | undefined;
}

/** The requested scope (spec 4.6). Throws `invalid` if it is unknown, or if a parameter is missing. */
export function parseScope({ scope, device, podcast, episode }: ScopeRequest, rules: UrlRules): SettingScope {
  const feed = (): Url => readUrl('podcast', podcast, (url) => sanitizeFeedUrl(url, rules));
  const media = (): Url => readUrl('episode', episode, sanitizeMediaUrl);
  switch (scope) {
    case 'account':
      return { kind: scope };
    case 'device':
      if (!device) throw invalid('this scope needs "device" in the query: the id of a device');
      return { kind: scope, device: parseDeviceId(device) };
    case 'podcast':
      return { kind: scope, podcast: feed() };
    case 'episode':
      return { kind: scope, podcast: feed(), episode: media() };
    default:
      throw invalid('the scope must be account, device, podcast or episode');
  }
}

function readUrl(name: string, submitted: string | undefined, sanitize: (url: string) => Url | ''): Url {
  const url = sanitize(submitted ?? '');
  if (url === '') throw invalid(`this scope needs "${name}" in the query: a URL that begins with http:// or https://`);
  return url;
}

/** A scope of any kind. */
type ScopeParts = { kind: SettingScope['kind']; device?: string; podcast?: Url; episode?: Url };

/** A unique key of a scope. */
export function scopeKey(scope: SettingScope): string {
  const { kind, device, podcast, episode }: ScopeParts = scope;
  return JSON.stringify([kind, device, podcast, episode]);
}

/** The order of scopes in an export: account, devices, podcasts, episodes; each sorted by name. */
export function compareScopes(one: SettingScope, other: SettingScope): number {
  const [a, b]: [ScopeParts, ScopeParts] = [one, other];
  return (
    SCOPE_KINDS.indexOf(a.kind) - SCOPE_KINDS.indexOf(b.kind) ||
    compareText(a.device ?? '', b.device ?? '') ||
    compareText(a.podcast ?? '', b.podcast ?? '') ||
    compareText(a.episode ?? '', b.episode ?? '')
  );
}
