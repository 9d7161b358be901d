import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { openVisitor, signIn } from './browser.ts';

const CHOSEN = { password: 'new pass phrase', again: 'new pass phrase' };

it('a user who forgot the password chooses another with a link, once', async () => {
  const server = await openTestServer();
  const path = `/welcome/${await server.services.passwordLinks.reset('bob')}`;
  const visitor = openVisitor(server);
  const { html } = await visitor.get(path);
  expect(html).toContain('<strong>bob</strong>');
  expect(html).toContain('value="bob" autocomplete="username" hidden'); // for the password manager of the browser
  const done = await visitor.send(path, CHOSEN);
  expect([done.status, done.location]).toEqual([303, 'http://localhost/']);
  expect((await visitor.get('/settings')).status).toBe(200);
  await signIn(server, 'bob', 'new pass phrase');
  await expect(signIn(server, 'bob', 'secret')).rejects.toThrow('could not sign in');
  expect((await openVisitor(server).get(path)).status).toBe(404);
});

it('the old password works until the link is used', async () => {
  const server = await openTestServer();
  await server.services.passwordLinks.reset('bob');
  await signIn(server);
});

it('an invited user chooses a name and password', async () => {
  const server = await openTestServer();
  const { token } = await server.services.passwordLinks.invite({});
  const visitor = openVisitor(server);
  const taken = await visitor.send(`/welcome/${token}`, { ...CHOSEN, name: 'bob' });
  expect([taken.status, taken.html.includes('An account with this name already exists.')]).toEqual([400, true]);
  expect(taken.html).toContain('value="bob"');
  expect((await visitor.send(`/welcome/${token}`, { ...CHOSEN, name: 'ann' })).status).toBe(303);
  await signIn(server, 'ann', 'new pass phrase');
});

it('an invited user with a name chooses a password', async () => {
  const server = await openTestServer();
  const { token } = await server.services.passwordLinks.invite({ name: 'ann' });
  await openVisitor(server).send(`/welcome/${token}`, { ...CHOSEN, name: 'eve' });
  await signIn(server, 'ann', 'new pass phrase');
});

it.each([
  ['the first link', false],
  ['another link', true],
])('an invited user decides with %s about the list and privacy, as for every new account', async (_link, isAnother) => {
  const server = await openTestServer();
  const { passwordLinks } = server.services;
  const first = await passwordLinks.invite({ name: 'ann' });
  const token = isAnother ? await passwordLinks.reset('ann') : first.token;
  const visitor = openVisitor(server);
  const { html } = await visitor.get(`/welcome/${token}`);
  expect(html).toMatch(/name="sync_devices"[^>]* checked/);
  expect(html).toContain('name="public"');
  expect(html).not.toMatch(/name="public"[^>]* checked/);
  const slip = await visitor.send(`/welcome/${token}`, { ...CHOSEN, again: 'another', public: 'on' });
  expect(slip.html).toMatch(/name="public"[^>]* checked/);
  expect(slip.html).not.toMatch(/name="sync_devices"[^>]* checked/);
  await visitor.send(`/welcome/${token}`, { ...CHOSEN, sync_devices: 'on' });
  const stored = await server.request('GET', '/api/2/settings/ann/account.json', { auth: 'ann:new pass phrase' });
  expect(await stored.json()).toEqual({ sync_devices: true, public_subscriptions: false });
});

it('a link to choose another password asks nothing else, and changes no settings', async () => {
  const server = await openTestServer();
  const path = `/welcome/${await server.services.passwordLinks.reset('bob')}`;
  const visitor = openVisitor(server);
  expect((await visitor.get(path)).html).not.toContain('type="checkbox"');
  await visitor.send(path, CHOSEN);
  const stored = await server.request('GET', '/api/2/settings/bob/account.json', { auth: 'bob:new pass phrase' });
  expect(await stored.json()).toEqual({});
});

it('a link works for a day', async () => {
  const server = await openTestServer();
  const path = `/welcome/${await server.services.passwordLinks.reset('bob')}`;
  server.clock.now += 86_399;
  expect((await openVisitor(server).get(path)).status).toBe(200);
  server.clock.now += 1;
  const late = await openVisitor(server).get(path);
  expect([late.status, late.html.includes('This link has expired or has already been used')]).toEqual([404, true]);
});

it.each([
  [{ password: 'short', again: 'short' }, 'fewer than 8 characters'],
  [{ password: 'new pass phrase', again: 'another' }, 'The two passwords differ.'],
  [{ ...CHOSEN, csrf: 'guessed' }, 'This form was too old'],
])('shows the form again for %j', async (fields, problem) => {
  const server = await openTestServer();
  const path = `/welcome/${await server.services.passwordLinks.reset('bob')}`;
  const again = await openVisitor(server).send(path, fields);
  expect(again.status).toBe(400);
  expect(again.html).toContain(problem);
  await signIn(server);
});

it('a link of another account, an invented link and an altered one are 404', async () => {
  const server = await openTestServer({ users: ['bob', 'eve'] });
  const token = await server.services.passwordLinks.reset('bob');
  const [, expires, signature] = token.split('.');
  const eve = Buffer.from('eve').toString('base64url');
  const later = (parseInt(expires!, 36) + 1).toString(36);
  const altered = [
    `${eve}.${expires}.${signature}`,
    token.replace(expires!, later),
    'x',
    `${eve}.${expires}.`,
    token.replace(signature!, 'é'.repeat(signature!.length)),
  ];
  for (const each of altered) expect((await openVisitor(server).get(`/welcome/${each}`)).status).toBe(404);
});

it('a stolen session shows no user id, with which a link could be signed', async () => {
  const server = await openTestServer();
  const { id } = await server.services.administration.find('bob');
  const visitor = await signIn(server);
  for (const path of ['/', '/settings', '/settings/backup', '/devices', '/subscriptions', '/lists', '/history']) {
    const { status, html, headers } = await visitor.get(path);
    expect(status).toBe(200);
    expect(html + JSON.stringify([...headers])).not.toContain(id);
  }
});
