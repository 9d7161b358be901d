import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';
import { addCounter, addGauge } from './readings.ts';

/** How often the delay of the event loop is measured. Milliseconds. */
const RESOLUTION = 10;

/** Measures processor, memory and event loop. Returns a function that stops it. */
export function observeProcess(registry: Registry): () => void {
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  addGauge(registry, 'process_start_time_seconds', 'When the process was started.', () => startedAt);
  addCounter(registry, 'process_cpu_seconds_total', 'Processor time of the process, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addGauge(registry, 'process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  addGauge(
    registry,
    'podsync_heap_used_bytes',
    'Used part of the JavaScript heap.',
    () => process.memoryUsage().heapUsed,
  );
  return observeEventLoop(registry);
}

function observeEventLoop(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  /** A sample includes the interval between two samples. */
  const toSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000);
  const gauge: Gauge<'statistic'> = new Gauge({
    name: 'podsync_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape.',
    labelNames: ['statistic'],
    registers: [registry],
    collect() {
      if (delay.count === 0) return;
      gauge.set({ statistic: 'mean' }, toSeconds(delay.mean));
      gauge.set({ statistic: 'p99' }, toSeconds(delay.percentile(99)));
      gauge.set({ statistic: 'max' }, toSeconds(delay.max));
      delay.reset();
    },
  });
  for (const statistic of ['mean', 'p99', 'max']) gauge.set({ statistic }, 0);
  return () => void delay.disable();
}
