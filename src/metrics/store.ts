import { Counter, Histogram, type Registry } from 'prom-client';
import type { KeyValueStore } from '../storage/contract.ts';
import { isStorageError } from '../storage/errors.ts';

/** Seconds. Memory responds within microseconds, a busy disk within seconds. */
const BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** Measures the operations of a key-value store. */
export function createStoreMeter(registry: Registry): (store: KeyValueStore) => KeyValueStore {
  const registers = [registry];
  const duration = new Histogram({
    name: 'podsync_storage_operation_duration_seconds',
    help: 'Time that the storage takes for an operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  });
  const errors = new Counter({
    name: 'podsync_storage_errors_total',
    help: 'Operations of the storage that failed, by the kind of error.',
    labelNames: ['operation', 'code'],
    registers,
  });
  const measure = async <T>(operation: 'get' | 'list' | 'commit', work: Promise<T>): Promise<T> => {
    const end = duration.startTimer({ operation });
    try {
      return await work;
    } catch (error) {
      errors.inc({ operation, code: isStorageError(error) ? error.code : 'other' });
      throw error;
    } finally {
      end();
    }
  };
  return (store) => ({
    isShared: store.isShared,
    get: (keys) => measure('get', store.get(keys)),
    list: (range) => measure('list', store.list(range)),
    commit: (batch) => measure('commit', store.commit(batch)),
    ping: () => store.ping(),
    verify: () => store.verify(),
    close: () => store.close(),
  });
}
