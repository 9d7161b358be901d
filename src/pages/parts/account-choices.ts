import type { DirectoryMode } from '../../options.ts';
import { renderCheck } from './form.ts';
import { type Markup, markup } from './markup.ts';

/** What a person decides about a new account. */
export interface AccountChoices {
  /** Whether all devices share one subscription list. */
  syncDevices: boolean;
  isPublic: boolean;
}

/** The form suggests one list, and privacy. */
const SUGGESTED: AccountChoices = { syncDevices: true, isPublic: false };

/** The check boxes `sync_devices` and `public`. */
export const renderAccountChoices = (
  directory: DirectoryMode,
  { syncDevices, isPublic } = SUGGESTED,
): Markup => markup`${renderCheck({ name: 'sync_devices', label: 'Keep one subscription list on all devices', isOn: syncDevices, hint: 'Otherwise each device has a list of its own.' })}
${renderCheck({ name: 'public', label: 'Show my subscriptions publicly', isOn: isPublic, hint: VISIBILITY[directory] })}`;

/** Where subscriptions are shown. */
const VISIBILITY: Record<DirectoryMode, string> = {
  public: 'On a page with your user name, and in the directory of this server.',
  members: 'On a page with your user name, and in the directory of this server; only for those who are signed in.',
  off: 'At present this server shows neither profiles nor a directory.',
};
