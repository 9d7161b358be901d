import type { Clock } from '../clock.ts';
import type { Fetcher } from '../feeds/fetch.ts';
import type { Options } from '../options.ts';
import type { Log, Storage } from '../storage/stores.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createAdministration } from './accounts/administration.ts';
import { createAppPasswords } from './accounts/app-passwords.ts';
import type { Hasher } from './accounts/hasher.ts';
import { createLoginFlow } from './accounts/login-flow.ts';
import { createPasswordLinks } from './accounts/password-links.ts';
import { createPasswords } from './accounts/passwords.ts';
import { createProfiles } from './accounts/profiles.ts';
import { createRegistration } from './accounts/registration.ts';
import { createSessions } from './accounts/sessions.ts';
import { createThrottle } from './accounts/throttle.ts';
import { createDirectory } from './directory/directory.ts';
import { createLogoCache } from './directory/logo-cache.ts';
import { createLogos } from './directory/logos.ts';
import { createFeeds } from './feeds/feeds.ts';
import { createActionCache } from './listening/action-cache.ts';
import { createHistory } from './listening/history.ts';
import { createHome } from './listening/home.ts';
import { createPlayback } from './listening/playback.ts';
import { createStatistics } from './listening/statistics.ts';
import { createBackups } from './operations/backups.ts';
import { createIntegrityCheck } from './operations/integrity-check.ts';
import { createMaintenance } from './operations/maintenance.ts';
import { createPing } from './operations/ping.ts';
import type { BodyParser } from './sync/body-parser.ts';
import { createDevices } from './sync/devices.ts';
import { createEpisodes } from './sync/episodes.ts';
import { createLibrary } from './sync/library.ts';
import { createLists } from './sync/lists.ts';
import { createOpmlImport } from './sync/opml-import.ts';
import { createRefusals } from './sync/refusals.ts';
import { createServedMarks } from './sync/served-marks.ts';
import { createSettings } from './sync/settings.ts';
import { createSubscriptions } from './sync/subscriptions.ts';
import { createUpdates } from './sync/updates.ts';
import { createPull } from './transfer/pull.ts';
import { createTransfer } from './transfer/transfer.ts';

interface ServiceOptions extends Pick<
  Options,
  'keepUrlCredentials' | 'registration' | 'syncDevices' | 'directory' | 'backups'
> {
  now: Clock;
  hasher: Hasher;
  bodyParser: BodyParser;
  /** Undefined: fetching is disabled. */
  fetcher: Fetcher | undefined;
  /** Folder of the logo cache; need not exist. */
  logoFolder: string;
  log: Log;
}

/** All services on one storage. */
export type Services = ReturnType<typeof createServices>;

/** Creates all services. Each takes only what it needs: stores, then services, then the rest. */
export function createServices(storage: Storage, options: ServiceOptions) {
  const { now, hasher, fetcher, log } = options;
  const transfer = createTransfer(storage, now);
  const { podcasts } = storage;
  const urlRules = { keepCredentials: options.keepUrlCredentials };
  const sessions = createSessions(storage.sessions, storage.settings, now);
  const appPasswords = createAppPasswords(storage, now);
  const refusals = createRefusals(storage, now);
  const directory = createDirectory(storage, { rules: urlRules, mode: options.directory });
  const subscriptions = createSubscriptions(storage, urlRules);
  const devices = createDevices(storage, now);
  const episodes = createEpisodes(storage, now, urlRules);
  const settings = createSettings(storage, urlRules);
  const lists = createLists(storage, urlRules);
  const actionCache = createActionCache(storage.actions);
  const passwords = createPasswords(hasher);
  const throttle = createThrottle(storage.attempts, now);
  const accounts = createAccounts(storage, { passwords, throttle, syncDevices: options.syncDevices, log });
  return {
    bodyParser: options.bodyParser,
    accounts,
    administration: createAdministration(storage, passwords, sessions, appPasswords),
    registration: createRegistration(accounts, throttle, options.registration),
    passwordLinks: createPasswordLinks(storage, passwords, now),
    sessions,
    appPasswords,
    loginFlow: createLoginFlow(storage.appLogins, appPasswords, now),
    servedMarks: createServedMarks(storage.servedMarks),
    refusals,
    devices,
    subscriptions,
    library: createLibrary({ devices: storage.devices, podcasts, subscriptions, actionCache }, urlRules),
    opmlImport: createOpmlImport(podcasts, subscriptions, urlRules),
    pull: createPull({ devices, subscriptions, episodes, settings, lists }, urlRules),
    episodes,
    playback: createPlayback(
      { devices: storage.devices, subscriptions: storage.subscriptions, podcasts, actionCache, episodes, settings },
      now,
      urlRules,
    ),
    settings,
    lists,
    profiles: createProfiles(storage, accounts, options.directory),
    directory,
    updates: createUpdates(storage, subscriptions),
    home: createHome(storage, actionCache, now),
    history: createHistory(podcasts, actionCache),
    statistics: createStatistics(podcasts, actionCache, now),
    logos: createLogos({
      podcasts,
      mode: options.directory,
      fetcher,
      cache: createLogoCache(options.logoFolder),
    }),
    feeds: createFeeds(podcasts, { fetcher, now, rules: urlRules, log }),
    transfer,
    integrityCheck: createIntegrityCheck(storage),
    maintenance: createMaintenance(storage, log),
    /** Undefined: none are scheduled. */
    backups: options.backups && createBackups(transfer, { rules: options.backups, now, log }),
    ping: createPing(storage),
  };
}
