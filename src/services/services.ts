import type { Clock } from '../clock.ts';
import type { Fetcher } from '../feeds/fetch.ts';
import type { Options } from '../options.ts';
import type { Log, Storage } from '../storage/stores.ts';
import { type Accounts, createAccounts } from './accounts/accounts.ts';
import { type Administration, createAdministration } from './accounts/administration.ts';
import { type AppPasswords, createAppPasswords } from './accounts/app-passwords.ts';
import type { Hasher } from './accounts/hasher.ts';
import { createLoginFlow, type LoginFlow } from './accounts/login-flow.ts';
import { createPasswordLinks, type PasswordLinks } from './accounts/password-links.ts';
import { createPasswords } from './accounts/passwords.ts';
import { createProfiles, type Profiles } from './accounts/profiles.ts';
import { createRegistration, type Registration } from './accounts/registration.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { createThrottle } from './accounts/throttle.ts';
import { createDirectory, type Directory } from './directory/directory.ts';
import { createLogoCache } from './directory/logo-cache.ts';
import { createLogos, type Logos } from './directory/logos.ts';
import { createFeeds, type Feeds } from './feeds/feeds.ts';
import { createActionCache } from './listening/action-cache.ts';
import { createHistory, type History } from './listening/history.ts';
import { createHome, type Home } from './listening/home.ts';
import { createPlayback, type Playback } from './listening/playback.ts';
import { createStatistics, type Statistics } from './listening/statistics.ts';
import { type Backups, createBackups } from './operations/backups.ts';
import { createIntegrityCheck, type IntegrityCheck } from './operations/integrity-check.ts';
import { createMaintenance } from './operations/maintenance.ts';
import { createPing } from './operations/ping.ts';
import type { Schedule } from './operations/schedule.ts';
import type { BodyParser } from './sync/body-parser.ts';
import { createDevices, type Devices } from './sync/devices.ts';
import { createEpisodes, type Episodes } from './sync/episodes.ts';
import { createLibrary, type Library } from './sync/library.ts';
import { createLists, type Lists } from './sync/lists.ts';
import { createOpmlImport, type OpmlImport } from './sync/opml-import.ts';
import { createRefusals, type Refusals } from './sync/refusals.ts';
import { createServedMarks, type ServedMarks } from './sync/served-marks.ts';
import { createSettings, type Settings } from './sync/settings.ts';
import { createSubscriptions, type Subscriptions } from './sync/subscriptions.ts';
import { createUpdates, type Updates } from './sync/updates.ts';
import { createPull, type Pull } from './transfer/pull.ts';
import { createTransfer, type Transfer } from './transfer/transfer.ts';

/** All services on one storage. */
export interface Services {
  bodyParser: BodyParser;
  accounts: Accounts;
  administration: Administration;
  registration: Registration;
  passwordLinks: PasswordLinks;
  sessions: Sessions;
  appPasswords: AppPasswords;
  loginFlow: LoginFlow;
  servedMarks: ServedMarks;
  refusals: Refusals;
  devices: Devices;
  subscriptions: Subscriptions;
  library: Library;
  opmlImport: OpmlImport;
  pull: Pull;
  episodes: Episodes;
  playback: Playback;
  settings: Settings;
  lists: Lists;
  profiles: Profiles;
  directory: Directory;
  updates: Updates;
  home: Home;
  history: History;
  statistics: Statistics;
  logos: Logos;
  feeds: Feeds;
  transfer: Transfer;
  integrityCheck: IntegrityCheck;
  maintenance: Schedule;
  /** Undefined: none are scheduled. */
  backups: Backups | undefined;
  /** Rejects while the storage is unavailable or does not respond. */
  ping(): Promise<void>;
}

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

/** Creates all services. Each takes only what it needs: stores, then services, then the rest. */
export function createServices(storage: Storage, options: ServiceOptions): Services {
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
    backups: options.backups && createBackups(transfer, { rules: options.backups, now, log }),
    ping: createPing(storage),
  };
}
