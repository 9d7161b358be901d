import { describe, expect, it } from 'vitest';
import { createRoutes } from '../../src/routes/index.ts';
import type { RouteContext } from '../../src/routes/route.ts';
import type { Services } from '../../src/services/services.ts';
import { openTestServer } from '../server.ts';
import { faultsOf } from './answers.ts';
import { expensiveBodies } from './expensive-bodies.ts';

const uploads = createRoutes({} as Services, {} as RouteContext).filter(([method]) => method !== 'GET');

/** A path that bob may upload to. */
function pathOf(pattern: string, format: string): string {
  const path = pattern.replaceAll(/:\w+/g, (name) => (name === ':user' ? 'bob' : 'account'));
  return `${path}${format && `.${format}`}`;
}

describe.each(uploads)('%s %s', (method, path, formats) => {
  it('answers a megabyte of any content within a second', { timeout: 600_000 }, async () => {
    const { app, clock } = await openTestServer({ maxBody: 1024 * 1024 });
    const faults: string[] = [];
    for (const format of formats.length > 0 ? formats : ['']) {
      for (const [name, body] of expensiveBodies(format)) {
        clock.now += 3600;
        const start = process.cpuUsage();
        const answer = await app.request(`http://localhost${pathOf(path, format)}?title=${clock.now}`, {
          method,
          headers: {
            authorization: `Basic ${btoa('bob:secret')}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body,
        });
        faults.push(...(await faultsOf(method, answer)));
        // CPU time instead of the clock, as the machine may be busy.
        const { user, system } = process.cpuUsage(start);
        if (user + system > 1e6) faults.push(`${name} as ${format} took ${(user + system) / 1e6} seconds`);
      }
    }
    expect(faults).toEqual([]);
  });
});
