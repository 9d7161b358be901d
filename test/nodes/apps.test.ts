import { expect, it } from 'vitest';
import { cookieOf, openTestServer, type TestServer } from '../server.ts';
import { signIn } from '../site/browser.ts';

/* Two nodes on one database, and apps with app passwords. */

const SUBSCRIPTIONS = '/index.php/apps/gpoddersync/subscriptions';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const openNodes = async (): Promise<[TestServer, TestServer]> => {
  const one = await openTestServer();
  return [one, await openTestServer({ beside: one })];
};

const pull = ({ request }: TestServer, auth: string, since = 0): Promise<Response> =>
  request('GET', `${SUBSCRIPTIONS}?since=${since}`, { auth });

it('both nodes refuse a revoked app password at the next request, also with a cookie', async () => {
  const [one, two] = await openNodes();
  const { id } = await one.services.administration.find('bob');
  const auth = `bob:${await one.services.appPasswords.create(id, 'Phone')}`;
  const answers = [await pull(one, auth), await pull(two, auth)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const cookie = cookieOf(answers[0]!)!;
  const [own] = await two.services.appPasswords.all(id);
  await two.services.appPasswords.revoke(id, own!.id);
  expect([(await pull(one, auth)).status, (await pull(two, auth)).status]).toEqual([401, 401]);
  expect((await one.request('GET', SUBSCRIPTIONS, { cookie })).status).toBe(401);
});

it('an app may start a login, be granted it and fetch it on different nodes, once', async () => {
  const [one, two] = await openNodes();
  const begun = await one.request('POST', '/index.php/login/v2', { headers: FORM, body: '' });
  const { poll, login } = (await begun.json()) as { poll: { token: string }; login: string };
  const visitor = await signIn(two);
  const path = login.slice(login.indexOf('/authorize'));
  await visitor.send(path, { label: 'Phone' }, 'http://localhost/authorize');
  const pollOn = ({ request }: TestServer) =>
    request('POST', '/index.php/login/v2/poll', { headers: FORM, body: `token=${poll.token}` });
  const answers = await Promise.all([one, two, one, two].map(pollOn));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
});

it('a mark served by one node is used by the other', async () => {
  const [one, two] = await openNodes();
  const fast = one.clock.now + 5000;
  await pull(one, 'bob:secret');
  const body = { add: ['http://example.org/a'] };
  await one.request('POST', '/api/2/subscriptions/bob/desktop.json', { auth: 'bob:secret', body });
  const changes = (await (await pull(two, 'bob:secret', fast)).json()) as { add: string[] };
  expect(changes.add).toEqual(body.add);
});
