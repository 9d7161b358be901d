import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Stamp } from '../domain/types.ts';
import type { Services } from '../services/services.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Seconds. */
const LAG_BUCKETS = [10, MINUTE, 5 * MINUTE, 30 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY];

/** Measures what apps synchronize, where the routes call the services. */
export function createServiceMeter(registry: Registry, now: Clock): (services: Services) => Services {
  const registers = [registry];
  const labelNames = ['kind'] as const;
  const uploads = new Counter({
    name: 'podsync_uploads_total',
    help: 'Uploads of apps that were stored.',
    labelNames,
    registers,
  });
  const actions = new Counter({
    name: 'podsync_actions_uploaded_total',
    help: 'Episode actions in these uploads; repeated ones are stored once, but counted each time.',
    registers,
  });
  const uploadedAt = new Gauge({
    name: 'podsync_last_upload_timestamp_seconds',
    help: 'When the last upload of an app was stored.',
    labelNames,
    registers,
  });
  const lag = new Histogram({
    name: 'podsync_sync_lag_seconds',
    help: 'Age of the mark that a device sent, if there were changes since: the longest that one of them has waited.',
    labelNames,
    buckets: LAG_BUCKETS,
    registers,
  });
  type Kind = 'subscriptions' | 'actions';
  for (const kind of ['subscriptions', 'actions'] satisfies Kind[]) uploads.inc({ kind }, 0);

  const countUpload = (kind: Kind): void => {
    uploads.inc({ kind });
    uploadedAt.set({ kind }, now());
  };
  /** A first sync, from 0, has no lag. */
  const observeLag = (kind: Kind, since: Stamp): void => {
    if (since > 0) lag.observe({ kind }, Math.max(0, now() - since));
  };

  return (services) => {
    const { subscriptions, episodes } = services;
    return {
      ...services,
      subscriptions: {
        ...subscriptions,
        async replace(...upload) {
          await subscriptions.replace(...upload);
          countUpload('subscriptions');
        },
        async upload(...upload) {
          const stored = await subscriptions.upload(...upload);
          countUpload('subscriptions');
          return stored;
        },
        async changes(user, device, since) {
          const changes = await subscriptions.changes(user, device, since);
          if (changes.add.length + changes.remove.length > 0) observeLag('subscriptions', since);
          return changes;
        },
      },
      episodes: {
        ...episodes,
        async upload(user, submitted, ...rest) {
          const stored = await episodes.upload(user, submitted, ...rest);
          countUpload('actions');
          actions.inc(submitted.length);
          return stored;
        },
        async query(user, query) {
          const { pages, mark } = await episodes.query(user, query);
          return { pages: onFirst(pages, () => observeLag('actions', query.since ?? 0)), mark };
        },
      },
    };
  };
}

/** The same pages; calls `notify` if there is one. */
async function* onFirst<Page>(pages: AsyncIterable<Page>, notify: () => void): AsyncIterable<Page> {
  let isFirst = true;
  for await (const page of pages) {
    if (isFirst) notify();
    isFirst = false;
    yield page;
  }
}
