import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRoutes } from '../../src/routes/index.ts';
import type { RouteContext } from '../../src/routes/route.ts';
import type { Services } from '../../src/services/services.ts';
import { seed } from '../seed.ts';
import { openTestServer } from '../server.ts';
import { SHARE } from '../storages.ts';
import { furnish, inventory, logIn } from './accounts.ts';
import { faultsOf } from './answers.ts';
import { requestTo, toRequest } from './requests.ts';

/** Only the rows are of interest: there is nothing behind these handlers. */
const routes = createRoutes({} as Services, {} as RouteContext);

const REQUESTS = 2000 * SHARE;
/** At most; about 20 requests each. */
const BATCHES = 140;

describe.each(routes)('$method $path', (route) => {
  it(`answers ${REQUESTS} requests of all kinds`, { timeout: 60_000 }, async () => {
    const server = await openTestServer({ users: ['bob', 'eve', 'mallory'], registration: 'open' });
    await furnish(server, 'bob');
    await furnish(server, 'eve');
    const evesBefore = await inventory(server, 'eve');
    const session = await logIn(server, 'bob');
    let requests = 0;

    /** Requests that are under way at once. */
    const batch = fc.array(requestTo(route), { minLength: 1, maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(batch, async (wild) => {
        if (requests >= REQUESTS) return;
        server.clock.now += 3600; // the throttle forgets
        const start = process.cpuUsage();
        const answers = wild.map(async (each) => {
          const faults = await faultsOf(each.method, await server.app.request(toRequest(each, session)));
          return faults.map((fault) => `${each.method} ${each.path}: ${fault}`);
        });
        expect((await Promise.all(answers)).flat()).toEqual([]);
        expect(server.errors.splice(0)).toEqual([]);
        // Of work rather than by the clock, as the machine may be busy with something else; each takes less than all.
        const { user, system } = process.cpuUsage(start);
        expect((user + system) / 1e6, 'seconds for all').toBeLessThan(1);
        requests += wild.length;
      }),
      { seed, numRuns: BATCHES },
    );
    expect(requests).toBeGreaterThanOrEqual(REQUESTS);

    expect(await inventory(server, 'eve')).toEqual(evesBefore);
    const after = '/subscriptions/bob/after-all.json';
    expect((await server.request('PUT', after, { auth: 'bob:secret', body: ['http://example.org/'] })).status).toBe(
      200,
    );
    // Not alone there where a request made all devices follow each other: a new one has what they have, too.
    expect(await (await server.request('GET', after, { auth: 'bob:secret' })).json()).toContain('http://example.org/');
  });
});
