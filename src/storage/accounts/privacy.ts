import type { Json, SettingScope, Url } from '../../domain/types.ts';

/** Settings that control who may see the subscriptions of an account (spec 2.9). */
const PUBLIC_PROFILE = 'public_profile';
const PUBLIC_SUBSCRIPTIONS = 'public_subscriptions';
const PUBLIC_SUBSCRIPTION = 'public_subscription';

/** Which subscriptions of an account are public. */
export type Visibility = 'all' | 'some' | 'none';

/** Which subscriptions are private, according to the settings. */
export interface Privacy {
  visibility: Visibility;
  isPrivate(url: Url): boolean;
}

/** A setting of an account. */
export interface Setting {
  scope: SettingScope;
  key: string;
  value: Json;
}

/** Whether a setting affects privacy. */
export const isPrivacySetting = ({ scope, key }: Pick<Setting, 'scope' | 'key'>): boolean =>
  (scope.kind === 'account' && (key === PUBLIC_PROFILE || key === PUBLIC_SUBSCRIPTIONS)) ||
  (scope.kind === 'podcast' && key === PUBLIC_SUBSCRIPTION);

/**
 * `toCurrent`: the current URL of a podcast, so that a setting still applies after a move. Other settings are ignored.
 */
export function toPrivacy(settings: readonly Setting[], toCurrent: (url: Url) => Url): Privacy {
  const isEnabled = (name: string): boolean =>
    settings.every(({ scope, key, value }) => scope.kind !== 'account' || key !== name || isTrue(value));
  const marked = (wanted: boolean): Url[] =>
    settings.flatMap(({ scope, key, value }) =>
      scope.kind === 'podcast' && key === PUBLIC_SUBSCRIPTION && isTrue(value) === wanted ? scope.podcast : [],
    );
  const hidden = new Set(marked(false).map(toCurrent));
  const shown = new Set(marked(true).map(toCurrent));
  const hasPublicProfile = isEnabled(PUBLIC_PROFILE);
  const isPublicByDefault = isEnabled(PUBLIC_SUBSCRIPTIONS);
  const isAllPrivate = !hasPublicProfile || (!isPublicByDefault && shown.size === 0);
  if (isAllPrivate) return { visibility: 'none', isPrivate: () => true };
  if (isPublicByDefault && hidden.size === 0) return { visibility: 'all', isPrivate: () => false };
  const isPrivate = (url: Url): boolean =>
    hidden.has(toCurrent(url)) || (!isPublicByDefault && !shown.has(toCurrent(url)));
  return { visibility: 'some', isPrivate };
}

/** Missing settings count as yes; any value other than true counts as no. */
const isTrue = (value: Json): boolean => value === true;
