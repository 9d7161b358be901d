import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRoutes } from '../../src/routes/index.ts';
import type { RouteContext } from '../../src/routes/route.ts';
import type { Services } from '../../src/services/services.ts';
import { seed } from '../seed.ts';
import { openTestServer } from '../server.ts';
import { furnish, logIn } from './accounts.ts';
import { requestTo, toRequest } from './requests.ts';

/* Whatever the interface stores, an import takes. */

const routes = createRoutes({} as Services, {} as RouteContext).filter(({ method }) => method !== 'GET');
const BATCHES = 20;

it('takes back what requests of all kinds left behind', { timeout: 60_000 }, async () => {
  const server = await openTestServer({ users: ['bob', 'eve', 'mallory'], operator: true, registration: 'open' });
  await furnish(server, 'bob');
  const session = await logIn(server, 'bob');
  const request = fc.constantFrom(...routes).chain((route) => requestTo(route));
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 20, maxLength: 100, size: 'max' }), async (wild) => {
      server.clock.now += 3600; // the throttle forgets
      for (const each of wild) await server.app.request(toRequest(each, session));
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
