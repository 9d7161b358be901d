import { join } from 'node:path';
import type { H3 } from 'h3';
import manifest from 'podsync/package.json' with { type: 'json' };
import { type AppOptions, createApp } from './app.ts';
import { type Clock, openClock } from './clock.ts';
import type { Fetcher } from './feeds/fetch.ts';
import type { Metrics } from './metrics/metrics.ts';
import { DEFAULTS, type Options } from './options.ts';
import { createThreadHasher, type Hasher } from './services/accounts/hasher.ts';
import { createServices, type Services } from './services/services.ts';
import { createBodyParser } from './services/sync/body-parser.ts';
import { loadStorageThreads } from './storage/load.ts';
import { logSize } from './storage/log-size.ts';
import { openStorage } from './storage/open.ts';
import type { Log } from './storage/stores.ts';
import { networkList, readNetworks, webAddress } from './value-types.ts';

/** Missing options have the same defaults as `podsync serve`: see `DEFAULTS`. */
export interface PodsyncOptions
  extends Pick<Options, 'data'>, Partial<Omit<Options, 'data'>>, Pick<AppOptions, 'onRequest'> {
  log: Log;
}

/** A running instance of podsync. */
export interface Podsync {
  services: Services;
  /** Public address for links that operator commands print; set by the listening server. */
  address: { url?: string };
  /** The app for the network. */
  publicApp: H3;
  /** The same with the operator's routes: only for the control socket and in-process use. */
  operatorApp: H3;
  /** Stops background work, waits for writes and closes the storage. */
  close(): Promise<void>;
}

/** Replaceable parts: the clock, which otherwise needs the data folder, and the slow hasher in tests. */
export interface PodsyncParts {
  now?: Clock;
  hasher?: Hasher;
}

/** Opens the storage and creates the apps. Rejects with a StorageError, or an Error that says what to do. */
export async function openPodsync(given: PodsyncOptions, parts: PodsyncParts = {}): Promise<Podsync> {
  const options = {
    ...DEFAULTS,
    ...given,
    ...(given.baseUrl !== undefined && { baseUrl: readBaseUrl(given.baseUrl) }),
  };
  const now = parts.now ?? openClock(join(options.data, 'clock'), (message) => options.log('warn', message));
  const hasher = parts.hasher ?? createThreadHasher();
  const bodyParser = createBodyParser();
  const fetcher = options.fetch ? await loadFetcher(options.allowPrivateFeeds) : undefined;
  const metrics = options.metrics && (await loadMetrics(options.metrics, now));
  const storage = await openStorage(options.storage, process.cwd(), {
    dataDir: options.data,
    now,
    overlap: options.syncOverlap,
    log: options.log,
    meterStore: metrics?.meterStore,
  });
  const logoFolder = join(options.data, 'logos');
  const services = createServices(storage, { ...options, now, hasher, bodyParser, fetcher, logoFolder });
  metrics?.observe({
    version: manifest.version,
    services,
    storage,
    logSize: () => logSize(options.storage, options.data),
  });
  const address = {};
  return {
    services,
    address,
    publicApp: createApp(metrics?.meterServices(services) ?? services, {
      ...options,
      ...(metrics && {
        onRequest(request) {
          metrics.onRequest(request);
          options.onRequest?.(request);
        },
      }),
      metrics,
    }),
    operatorApp: createApp(services, { ...options, metrics: undefined, operator: true, address }),
    async close() {
      await Promise.all([
        services.feeds.stop(),
        services.logos.stop(),
        services.maintenance.stop(),
        services.backups?.stop(),
      ]);
      await storage.close();
      await Promise.all([hasher.close(), bodyParser.close()]);
      metrics?.close();
    },
  };
}

function readBaseUrl(given: string): string {
  const address = webAddress.read(given);
  if (address === undefined) throw new Error(`baseUrl must be ${webAddress.description}`);
  return address;
}

/** Loaded on demand: the HTTP client and the parser load slowly, and most commands fetch nothing. */
async function loadFetcher(allowPrivate: boolean): Promise<Fetcher> {
  const [{ createFetcher }, { createFeedParser }] = await Promise.all([
    import('./feeds/fetch.ts'),
    import('./feeds/parser.ts'),
  ]);
  return createFetcher({ allowPrivate, userAgent: `podsync/${manifest.version}`, parser: createFeedParser() });
}

/** The metrics of a server, and who may read them. */
async function loadMetrics(
  { token, allow }: NonNullable<Options['metrics']>,
  now: Clock,
): Promise<Metrics & NonNullable<AppOptions['metrics']>> {
  const isAllowed = allow === undefined ? undefined : readNetworks(allow);
  if (allow !== undefined && !isAllowed) throw new Error(`metrics.allow must be ${networkList.description}`);
  const { createMetrics } = await import('./metrics/metrics.ts');
  return { ...createMetrics(now), token, isAllowed };
}

/**
 * Called in a worker thread: loads every module that serves one (the hasher and the body parser are imported above).
 * Only the module that started this thread responds.
 */
export async function loadThreads(): Promise<void> {
  await Promise.all([loadStorageThreads(), import('./feeds/parser.ts')]);
}
