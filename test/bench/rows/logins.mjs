import { logIn } from '../client.mjs';
import { load, request, requests, seconds } from '../load.mjs';
import { median, thrice } from '../rounds.mjs';
import { createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

const USERS = Array.from({ length: 16 }, (_, index) => `user-${index}`);
/** Three rounds of 32 are below the limit of one address: each password is hashed. */
const WRONG = 32;

async function open() {
  const server = await startPodsync(await createData(USERS));
  const texts = await Promise.all(
    USERS.map(async (user) =>
      request('GET', `/api/2/subscriptions/${user}/phone.json?since=0`, await logIn(server, user)),
    ),
  );
  const others = (until) => load({ url: server.url, next: (connection) => texts[connection], until });
  return { server, others };
}

let tries = 0;

/** A login of a known or an unknown account, each with another password. */
function wrongLogin() {
  const user = tries % 2 === 0 ? USERS[(tries / 2) % USERS.length] : `nobody-${tries}`;
  const pair = Buffer.from(`${user}:wrong ${tries++}`).toString('base64');
  return request('POST', `/api/2/auth/${user}/login.json`, { authorization: `Basic ${pair}` });
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: '32 wrong logins at once',
  open,
  close: ({ server }) => server.stop(),
  rows: [
    {
      name: 'p99 of other requests',
      unit: 'ms',
      bound: ['<', 50],
      measure: async ({ server, others }) => {
        const quiet = await others(seconds(2));
        const rounds = await thrice(async () => {
          let over = false;
          const [wrong, other] = await Promise.all([
            load({
              url: server.url,
              next: wrongLogin,
              until: requests(WRONG),
              connections: WRONG,
              status: 401,
            }).finally(() => (over = true)),
            others(() => over),
          ]);
          return { wrong, other };
        });
        const middle = (of) => formatNumber(median(rounds.map(of)));
        return {
          value: median(rounds.map(({ other }) => other.p99)),
          note: `${middle(({ other }) => other.rate)}/s meanwhile; without: p99 ${formatNumber(quiet.p99)} ms, ${formatNumber(quiet.rate)}/s; the last login waits ${middle(({ wrong }) => wrong.p99)} ms`,
        };
      },
    },
  ],
};
