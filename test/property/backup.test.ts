import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRoutes } from '../../src/routes/index.ts';
import type { RouteContext } from '../../src/routes/route.ts';
import type { Services } from '../../src/services/services.ts';
import { fillAccount } from '../sample-account.ts';
import { seed } from '../seed.ts';
import { logIn, openTestServer } from '../server.ts';
import { requestTo, toRequest } from './requests.ts';

/* An import accepts everything that the interface stores. */

const routes = createRoutes({} as Services, {} as RouteContext).filter(([method]) => method !== 'GET');
const BATCHES = 20;

it('imports the backup of a server that has handled requests of all kinds', { timeout: 600_000 }, async () => {
  const server = await openTestServer({ users: ['bob', 'eve', 'mallory'], operator: true, registration: 'open' });
  await fillAccount(server, 'bob');
  const session = await logIn(server);
  const request = fc.constantFrom(...routes).chain((route) => requestTo(route));
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 20, maxLength: 100, size: 'max' }), async (requests) => {
      server.clock.now += 3600; // so that the login throttle has expired
      for (const each of requests) await server.app.request(toRequest(each, session));
      const copy = await openTestServer({ users: [], operator: true });
      copy.clock.now = server.clock.now;
      const body = await (await server.request('GET', '/operator/backup')).text();
      const answer = await copy.request('POST', '/operator/backup', { body });
      const report = (await answer.json()) as object;
      expect(report).not.toHaveProperty('message');
      expect(report).not.toHaveProperty('inFuture');
      expect(await (await copy.request('GET', '/operator/backup')).text()).toBe(body);
    }),
    { seed, numRuns: BATCHES },
  );
});
