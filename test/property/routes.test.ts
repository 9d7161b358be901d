import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRoutes } from '../../src/routes/index.ts';
import type { RouteContext } from '../../src/routes/route.ts';
import type { Services } from '../../src/services/services.ts';
import { fillAccount, readAccount } from '../sample-account.ts';
import { seed } from '../seed.ts';
import { logIn, openTestServer } from '../server.ts';
import { SHARE } from '../storages.ts';
import { faultsOf } from './answers.ts';
import { type RandomRequest, requestTo, toRequest } from './requests.ts';

/** Only for the table: these handlers have no services. */
const routes = createRoutes({} as Services, {} as RouteContext);

const REQUESTS = 2000 * SHARE;
/** More than are needed: each has about 20 requests, and those after the last request are empty. */
const BATCHES = 300;

describe.each(routes)('%s %s', (...route) => {
  it(`answers ${REQUESTS} requests of all kinds`, { timeout: 600_000 }, async () => {
    const server = await openTestServer({ users: ['bob', 'eve', 'mallory'], registration: 'open' });
    await fillAccount(server, 'bob');
    await fillAccount(server, 'eve');
    const before = await readAccount(server, 'eve');
    const session = await logIn(server);
    let requests = 0;

    const requestsAtOnce = fc.array(requestTo(route), { minLength: 1, maxLength: 40, size: 'max' });
    const nothing = fc.constant<RandomRequest[]>([]);
    const batch = nothing.chain(() => (requests < REQUESTS ? requestsAtOnce : nothing));
    await fc.assert(
      fc.asyncProperty(batch, async (random) => {
        if (random.length === 0) return;
        server.clock.now += 3600; // so that the login throttle has expired
        const start = process.cpuUsage();
        const answers = random.map(async (each) => {
          const faults = await faultsOf(each.method, await server.app.request(toRequest(each, session)));
          return faults.map((fault) => `${each.method} ${each.path}: ${fault}`);
        });
        expect((await Promise.all(answers)).flat()).toEqual([]);
        expect(server.errors.splice(0)).toEqual([]);
        // CPU time instead of the clock, as the machine may be busy. One request takes less than all together.
        const { user, system } = process.cpuUsage(start);
        expect((user + system) / 1e6, 'seconds for all').toBeLessThan(1);
        requests += random.length;
      }),
      { seed, numRuns: BATCHES },
    );
    expect(requests).toBeGreaterThanOrEqual(REQUESTS);

    server.clock.now += 3600; // also after the last batch
    expect(await readAccount(server, 'eve')).toEqual(before);
    const after = '/subscriptions/bob/after-all.json';
    expect((await server.request('PUT', after, { auth: 'bob:secret', body: ['http://example.org/'] })).status).toBe(
      200,
    );
    // The list has other feeds, too, if a request has made all devices follow each other.
    expect(await (await server.request('GET', after, { auth: 'bob:secret' })).json()).toContain('http://example.org/');
  });
});
