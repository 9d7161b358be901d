import { Counter, Gauge, type Registry } from 'prom-client';

type Read<Value> = () => Promise<Value> | Value;

/** A gauge that is read at each scrape; missing while it is undefined. */
export function addGauge(registry: Registry, name: string, help: string, read: Read<number | undefined>): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
}

/** A counter that something else keeps, read at each scrape. */
export function addCounter(registry: Registry, name: string, help: string, read: Read<number>): void {
  const counter: Counter = new Counter({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      counter.reset();
      counter.inc(value);
    },
  });
}
