import dns from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished, vi } from 'vitest';

/** Answers requests with `body` on 127.0.0.1, to which connecting takes more than 250 ms. Returns the port. */
export async function startDistantServer(body: string): Promise<number> {
  // A thread that does not accept connections at first: those beyond its queue are established at a second attempt.
  const thread = new Worker(
    `const server = require('node:http').createServer((_, response) => response.end(${JSON.stringify(body)}));
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:worker_threads').parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    });`,
    { eval: true },
  );
  onTestFinished(async () => void (await thread.terminate()));
  const [port] = (await once(thread, 'message')) as [number];
  const queued = [1, 2, 3].map(() => connect(port, '127.0.0.1').on('error', () => undefined));
  await once(queued[0]!, 'connect');
  return port;
}

/** Until the end of the test, every name is that of a host with these addresses. */
export function resolveNamesTo(...addresses: string[]): void {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((...given: unknown[]) => {
    const done = given.at(-1) as (error: null, found: dns.LookupAddress[]) => void;
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  });
  onTestFinished(() => lookup.mockRestore());
}
