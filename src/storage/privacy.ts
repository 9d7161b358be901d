import type { Json, SettingScope, Url } from '../domain/types.ts';

/** The settings by which an account says who may see its subscriptions (spec 2.9). */
const PUBLIC_PROFILE = 'public_profile';
const PUBLIC_SUBSCRIPTIONS = 'public_subscriptions';
const PUBLIC_SUBSCRIPTION = 'public_subscription';

/** Which subscriptions of an account are public. */
export type Visibility = 'all' | 'some' | 'none';

/** What the settings of an account make private. */
export interface Privacy {
  visibility: Visibility;
  isPrivate(url: Url): boolean;
}

interface Setting {
  scope: SettingScope;
  key: string;
  value: Json;
}

/** Whether a setting has a part in what is public. */
export const isPrivacySetting = ({ scope, key }: Pick<Setting, 'scope' | 'key'>): boolean =>
  (scope.kind === 'account' && (key === PUBLIC_PROFILE || key === PUBLIC_SUBSCRIPTIONS)) ||
  (scope.kind === 'podcast' && key === PUBLIC_SUBSCRIPTION);

/**
 * `toShown`: the URL that a podcast is shown under, as one that has moved is still the one that was marked. Settings
 * that have no part in it are passed over.
 */
export function toPrivacy(settings: readonly Setting[], toShown: (url: Url) => Url): Privacy {
  const isYes = (wanted: string): boolean =>
    settings.every(({ scope, key, value }) => scope.kind !== 'account' || key !== wanted || meansYes(value));
  const marked = (wanted: boolean): Url[] =>
    settings.flatMap(({ scope, key, value }) =>
      scope.kind === 'podcast' && key === PUBLIC_SUBSCRIPTION && meansYes(value) === wanted ? scope.podcast : [],
    );
  const hidden = new Set(marked(false).map(toShown));
  const shown = new Set(marked(true).map(toShown));
  const isOpen = isYes(PUBLIC_PROFILE);
  const isUsual = isYes(PUBLIC_SUBSCRIPTIONS);
  if (!isOpen || (!isUsual && shown.size === 0)) return { visibility: 'none', isPrivate: () => true };
  if (isUsual && hidden.size === 0) return { visibility: 'all', isPrivate: () => false };
  const isPrivate = (url: Url): boolean => hidden.has(toShown(url)) || (!isUsual && !shown.has(toShown(url)));
  return { visibility: 'some', isPrivate };
}

/** Not set means yes; what is neither true nor false was meant to change that. */
const meansYes = (value: Json): boolean => value === true;
