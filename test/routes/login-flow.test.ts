import { describe, expect, it } from 'vitest';
import { openTestServer, type TestServer, type TestServerOptions } from '../server.ts';
import { decode, openVisitor, signIn } from '../site/browser.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function begin(options: TestServerOptions = {}, app = 'AntennaPod/3.5.0') {
  const server = await openTestServer(options);
  const headers = { ...FORM, ...(app && { 'user-agent': app }) };
  const answer = await server.request('POST', '/index.php/login/v2', { headers, body: '' });
  expect(answer.status).toBe(200);
  const { poll, login } = (await answer.json()) as { poll: { token: string; endpoint: string }; login: string };
  return { server, token: poll.token, endpoint: poll.endpoint, link: login.slice(login.indexOf('/authorize')), login };
}

const poll = ({ request }: TestServer, body: string, headers: Record<string, string> = FORM): Promise<Response> =>
  request('POST', '/index.php/login/v2/poll', { headers, body });

/** The hidden fields of the form on a page. */
const hiddenOf = (html: string): Record<string, string> => {
  const fields = html.matchAll(/<input type="hidden" name="(csrf|flow)" value="([^"]*)">/g);
  return Object.fromEntries(Array.from(fields, ([, name, value]) => [name, decode(value!)]));
};

const grant = async (server: TestServer, link: string) =>
  (await signIn(server)).send(link, { label: 'Phone' }, 'http://localhost/authorize');

it('an app gets its own password once the user grants access', async () => {
  const { server, token, endpoint, link } = await begin();
  expect(endpoint).toBe('http://localhost/index.php/login/v2/poll');
  expect(token).toMatch(/^[A-Za-z0-9]{64}$/);
  for (let n = 0; n < 300; n += 1) expect((await poll(server, `token=${token}`)).status).toBe(404);

  const visitor = await signIn(server);
  const page = await visitor.get(link);
  expect(page.html).toContain(
    'The app <strong>AntennaPod/3.5.0</strong> asks for access to the account <strong>bob</strong>.',
  );
  expect(page.html).toContain('value="AntennaPod"');
  const granted = await visitor.send(link, { label: 'My phone' }, 'http://localhost/authorize');
  expect(granted.html).toContain('My phone has access now.');
  expect(granted.html).toContain('href="http://localhost/settings#app-passwords"');

  const answer = await poll(server, `token=${token}`);
  expect(answer.status).toBe(200);
  const { appPassword, ...rest } = (await answer.json()) as Record<string, string>;
  expect(rest).toEqual({ server: 'http://localhost', loginName: 'bob' });
  expect(
    (await server.request('GET', '/index.php/apps/gpoddersync/subscriptions', { auth: `bob:${appPassword}` })).status,
  ).toBe(200);
  expect((await visitor.get('/settings')).html).toContain('My phone');
  expect((await poll(server, `token=${token}`)).status).toBe(404);
});

it('a link that was used or has expired says so, without asking for a password or showing the form', async () => {
  const { server, token, link } = await begin();
  const visitor = await signIn(server);
  const form = { ...hiddenOf((await visitor.get(link)).html), label: 'Phone' };
  expect((await visitor.submit('/authorize', form)).status).toBe(200);
  const expectRefusal = async (reason: string): Promise<void> => {
    const pages = [openVisitor(server).get(link), visitor.get(link), visitor.submit('/authorize', form)];
    for (const page of await Promise.all(pages)) {
      expect([page.status, page.html.includes('action="http://localhost/authorize"')]).toEqual([404, false]);
      expect(page.html).toContain(`<p>${reason}; start again in the app.</p>`);
      expect(page.html).not.toContain('/login');
    }
  };
  await expectRefusal('This link has already been used');
  expect((await poll(server, `token=${token}`)).status).toBe(200);
  await expectRefusal('This link has already been used');
  server.clock.now += 1200;
  await expectRefusal('This link has expired');
});

it('a person without an account creates one, and then grants the app access', async () => {
  const { server, token, link } = await begin({ registration: 'open' });
  const visitor = openVisitor(server);
  const { location } = await visitor.get(link);
  const { html } = await visitor.get(location!);
  const create = decode(/No account yet\? <a href="([^"]*)"/.exec(html)![1]!);
  const account = { name: 'ann', password: 'pass phrase', again: 'pass phrase' };
  expect((await visitor.send(create, { ...account, again: 'other' })).status).toBe(400);
  const done = await visitor.send(create, account);
  expect([done.status, done.location]).toEqual([303, `http://localhost${link}`]);
  await visitor.send(link, { label: 'Phone' }, 'http://localhost/authorize');
  expect(await (await poll(server, `token=${token}`)).json()).toMatchObject({ loginName: 'ann' });
});

it.each([
  ['JSON', (token: string) => JSON.stringify({ token }), { 'content-type': 'application/json' }],
  ['a form', (token: string) => `token=${token}`, FORM],
  ['JSON as a form', (token: string) => JSON.stringify({ token }), FORM],
])('accepts the token as %s', async (_what, write, headers) => {
  const { server, token, link } = await begin();
  await grant(server, link);
  expect((await poll(server, write(token), headers)).status).toBe(200);
});

it('accepts the token in the query, as Nextcloud does', async () => {
  const { server, token, link } = await begin();
  const polled = () => server.request('POST', `/index.php/login/v2/poll?token=${token}`);
  expect((await polled()).status).toBe(404);
  await grant(server, link);
  expect((await polled()).status).toBe(200);
});

it('an account with too many app passwords is asked to revoke some before it grants access', async () => {
  const { server, token, link } = await begin();
  const { id } = await server.services.administration.find('bob');
  for (let n = 0; n < 100; n += 1) await server.services.appPasswords.create(id, `app ${n}`);
  const refused = await grant(server, link);
  expect(refused.html).toContain('An account has up to 100 app passwords; revoke those that are not used.');
  const [oldest] = await server.services.appPasswords.all(id);
  await server.services.appPasswords.revoke(id, oldest!.id);
  await grant(server, link);
  expect((await poll(server, `token=${token}`)).status).toBe(200);
});

it('is completed once, however many requests poll at once', async () => {
  const { server, token, link } = await begin();
  await grant(server, link);
  const answers = await Promise.all(Array.from({ length: 5 }, () => poll(server, `token=${token}`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  expect(await server.services.appPasswords.all((await server.services.administration.find('bob')).id)).toHaveLength(1);
});

it('expires after 20 minutes, granted or not', async () => {
  const { server, token, link } = await begin();
  const visitor = await signIn(server);
  server.clock.now += 1199;
  expect((await visitor.send(link, { label: 'Phone' }, 'http://localhost/authorize')).status).toBe(200);
  server.clock.now += 1;
  expect((await visitor.get(link)).status).toBe(404);
  expect((await poll(server, `token=${token}`)).status).toBe(404);
});

it('asks a visitor to sign in first, and then continues', async () => {
  const { server, link } = await begin();
  const visitor = openVisitor(server);
  const { location } = await visitor.get(link);
  const done = await visitor.send(location!, { name: 'bob', password: 'secret' }, 'http://localhost/login');
  expect(done.location).toBe(`http://localhost${link}`);
  expect((await visitor.get(done.location!)).html).toContain('Grant access');
});

it('names the base path in every address', async () => {
  const { server, endpoint, login, token } = await begin({ baseUrl: 'https://pods.example.org/sub' });
  expect(endpoint).toBe('https://pods.example.org/sub/index.php/login/v2/poll');
  expect(login).toMatch(/^https:\/\/pods\.example\.org\/sub\/authorize\?flow=/);
  const { id } = await server.services.administration.find('bob');
  await server.services.loginFlow.grant(decodeURIComponent(login.split('flow=')[1]!), id, 'Phone');
  const answer = await server.request('POST', '/sub/index.php/login/v2/poll', {
    headers: FORM,
    body: `token=${token}`,
  });
  expect(await answer.json()).toMatchObject({ server: 'https://pods.example.org/sub', loginName: 'bob' });
  const since = '/sub/index.php/apps/gpoddersync/subscriptions?since=0';
  expect((await server.request('GET', since, { auth: 'bob:secret' })).status).toBe(200);
});

describe('bad input', () => {
  it.each(['', 'token=', 'token=x', '{', '{"token":1}', '[]', '\0', 'token=%E4'])(
    'polling with %j is a 404',
    async (body) => {
      expect((await poll(await openTestServer(), body)).status).toBe(404);
    },
  );

  it.each(['', 'x', 'a.b.c', `${'a'.repeat(43)}.zzzzzzzzz.`])('the link %j is a 404', async (flow) => {
    const visitor = await signIn(await openTestServer());
    expect((await visitor.get(`/authorize?flow=${flow}`)).status).toBe(404);
  });

  it('needs a name for the app, and the token of the form', async () => {
    const { server, link } = await begin();
    const visitor = await signIn(server);
    const unnamed = await visitor.send(link, { label: ' ' }, 'http://localhost/authorize');
    expect([unnamed.status, unnamed.html.includes('id="label-error">The name of the app is empty.')]).toEqual([
      400,
      true,
    ]);
    const forged = await visitor.send(link, { csrf: 'guess', label: 'Phone' }, 'http://localhost/authorize');
    expect([forged.status, forged.html.includes('role="alert">This form was too old')]).toEqual([400, true]);
    expect(forged.html).toContain('value="Phone"');
    const again = await visitor.submit('/authorize', { ...hiddenOf(forged.html), label: 'Phone' });
    expect(again.html).toContain('Phone has access now.');
  });

  it('an app that sends no name is said to have none', async () => {
    const { server, link } = await begin({}, '');
    const { html } = await (await signIn(server)).get(link);
    expect(html).toContain('An app without a name asks for access');
  });
});

it('answers the requests that apps send before they start', async () => {
  const { request } = await openTestServer();
  const status = await (await request('GET', '/status.php')).json();
  expect(status).toMatchObject({ installed: true, maintenance: false, productname: 'podsync' });
  const capabilities = await (await request('GET', '/ocs/v2.php/cloud/capabilities?format=json')).json();
  expect(capabilities).toMatchObject({ ocs: { meta: { statuscode: 200 }, data: { version: { major: 31 } } } });
});
