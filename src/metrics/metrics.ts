import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { FinishedRequest } from '../http/access-log.ts';
import type { Services } from '../services/services.ts';
import type { KeyValueStore } from '../storage/contract.ts';
import type { Storage } from '../storage/stores.ts';
import { observeProcess } from './process.ts';
import { addCounter, addGauge } from './readings.ts';
import { createSample } from './sample.ts';
import { createServiceMeter } from './services.ts';
import { createStoreMeter } from './store.ts';

/*
 * Only metrics of podsync's own: some default ones of prom-client have names that `promtool check metrics` refuses. Labels
 * have few values: no paths, users or addresses.
 */

/** What the metrics are read from. */
interface Sources {
  version: string;
  services: Services;
  storage: Pick<Storage, 'sessions' | 'podcasts'>;
  /** Bytes of the write-ahead log; undefined for a storage that has none of its own. */
  logSize(): Promise<number | undefined>;
}

/** The metrics of a server. */
export interface Metrics {
  onRequest(request: FinishedRequest): void;
  /** The same store, measured. */
  meterStore(store: KeyValueStore): KeyValueStore;
  /** The same services for the routes, measured. */
  meterServices(services: Services): Services;
  /** Call it when everything is open: until then nothing runs that `close` would have to stop. */
  observe(sources: Sources): void;
  /** All metrics, in the text format of Prometheus. */
  render(): Promise<string>;
  close(): void;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);
/** Seconds. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(now: Clock): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'podsync_http_requests_total',
    help: 'Requests by route and status; "aborted" if the client disconnected before the response.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'podsync_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  let stopProcess: (() => void) | undefined;
  return {
    onRequest({ method, route = 'none', status, duration }) {
      const labels = { method: METHODS.has(method) ? method : 'other', route };
      requests.inc({ ...labels, status: status ?? 'aborted' });
      durations.observe(labels, duration / 1000);
    },
    meterStore: createStoreMeter(registry),
    meterServices: createServiceMeter(registry, now),
    observe(sources) {
      stopProcess = observeProcess(registry);
      observeSources(registry, sources);
    },
    render: () => registry.metrics(),
    close: () => stopProcess?.(),
  };
}

/** What is read at each scrape. */
function observeSources(registry: Registry, { version, services, storage, logSize }: Sources): void {
  const gauge = (name: string, help: string, read: () => Promise<number | undefined> | number | undefined): void =>
    addGauge(registry, `podsync_${name}`, help, read);

  const build = new Gauge({
    name: 'podsync_build_info',
    help: 'The running version.',
    labelNames: ['version'],
    registers: [registry],
  });
  build.set({ version }, 1);

  const sessions = createSample(() => storage.sessions.count());
  gauge('sessions', 'Sessions that have not expired, counted at most once a minute.', sessions);
  const feeds = createSample(() => storage.podcasts.countFeeds(), 0);
  gauge('feeds', 'Feeds with subscribers.', async () => (await feeds())?.subscribed);
  gauge('feeds_due', 'Feeds that are to be fetched now.', async () => (await feeds())?.due);
  gauge('feeds_failing', 'Feeds whose last fetch failed.', async () => (await feeds())?.failing);
  gauge('write_ahead_log_bytes', 'Size of the write-ahead log of a JSON storage.', createSample(logSize, 0));

  const { backups } = services;
  if (!backups) return;
  gauge(
    'backup_last_success_timestamp_seconds',
    'When the newest good scheduled backup was started.',
    () => backups.status().writtenAt,
  );
  gauge('backup_size_bytes', 'Size of the last scheduled backup.', () => backups.status().bytes);
  addCounter(
    registry,
    'podsync_backup_failures_total',
    'Scheduled backups that failed.',
    () => backups.status().failures,
  );
}
