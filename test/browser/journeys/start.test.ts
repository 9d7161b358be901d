import { expect } from 'vitest';
import { journey, useJourneys } from '../journey.ts';

useJourneys();

journey('1. goes from page to page, searches a podcast, and gets lost', async (visitor) => {
  const { page, base, open, signIn, go, arrive } = visitor;
  await signIn();
  for (const name of ['Subscriptions', 'History', 'Statistics', 'Devices', 'Lists', 'Directory', 'Settings', 'Home']) {
    await go(name);
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    const current = page.getByRole('navigation', { name: 'Site' }).locator('[aria-current=page]');
    expect(await current.textContent()).toBe(name);
  }
  const search = page.getByRole('searchbox', { name: 'Search the directory' });
  await search.fill('trains');
  await search.press('Enter');
  await arrive('Search: trains');
  await page.getByRole('link', { name: 'Slow Trains' }).click();
  await page.getByRole('heading', { level: 1, name: 'Slow Trains' }).waitFor();
  await open('/nowhere');
  await arrive('Page not found');
  await page.getByRole('link', { name: 'Home page' }).click();
  await page.waitForURL(`${base}/`);
});

journey('2. signs in where a page asks for it, out, and in with a new account', async (visitor) => {
  const { page, server, open, arrive, see } = visitor;
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const focused = () => page.evaluate('document.activeElement.id');

  await open('/history');
  await expect.poll(focused).toBe('name');
  await fill('User name or e-mail address', 'alice');
  await fill('Password', 'wrong');
  await press('Sign in');
  await see('The user name or the password is wrong.');
  await arrive('Sign in');
  expect(await page.getByLabel('User name or e-mail address').inputValue()).toBe('alice');
  await expect.poll(focused).toBe('password');
  await fill('Password', 'secret');
  await press('Sign in');
  await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();

  await page.locator('summary', { hasText: 'alice' }).click();
  await press('Sign out');
  await arrive('Your podcasts, in sync');
  await page.getByRole('link', { name: 'Create an account' }).first().click();
  await fill('User name', 'carol/smith');
  await fill('Password', 'one pass phrase');
  await fill('Repeat password', 'another pass phrase');
  await press('Create account');
  await see(/^A user name is/);
  await see('The two passwords differ.');
  await arrive('Create an account');
  expect(await page.getByLabel('User name', { exact: true }).inputValue()).toBe('carol/smith');
  await expect.poll(focused).toBe('name');
  await fill('User name', 'carol');
  await fill('Password', 'one pass phrase');
  await fill('Repeat password', 'another pass phrase');
  await press('Create account');
  await page.locator('#name:not([aria-invalid])').waitFor();
  await expect.poll(focused).toBe('again');
  await fill('Password', 'one pass phrase');
  await fill('Repeat password', 'one pass phrase');
  await press('Create account');
  await page.getByRole('heading', { level: 1, name: 'Connect your app' }).waitFor();

  await open(`/welcome/${await server.services.passwordLinks.reset('bob')}`);
  await arrive('Choose a password');
  await fill('Password', 'new pass phrase');
  await fill('Repeat password', 'new pass phrase');
  await press('Save and sign in');
  await page.locator('summary', { hasText: 'bob' }).waitFor();
});

journey('3. connects an app, and sees what it has synced', async (visitor) => {
  const { page, server, base, hasScript, open, signIn, arrive, see } = visitor;
  await open('/');
  await arrive('Your podcasts, in sync');
  if (hasScript) await page.clock.install();
  await signIn('new');
  for (const app of ['AntennaPod', 'gPodder', 'Kasts', 'Other apps']) {
    await page.getByRole('heading', { level: 2, name: app, exact: true }).waitFor();
  }
  await page.getByRole('img', { name: `QR code of ${base}` }).waitFor();
  await see('No app has connected yet.');
  await arrive('Connect your app');

  const auth = 'new:secret';
  const feed = 'https://slow-trains.example/feed.xml';
  const episode = 'https://media.example/slow-trains/1.mp3';
  await server.request('PUT', '/subscriptions/new/phone.json', { auth, body: [feed] });
  const play = { podcast: feed, episode, device: 'phone', action: 'play', started: 0, position: 600, total: 2400 };
  await server.request('POST', '/api/2/episodes/new.json', { auth, body: [play] });
  if (hasScript) await page.clock.runFor(5000); // the page asks by itself
  else await page.getByRole('link', { name: 'Refresh' }).click();

  await page.getByRole('heading', { name: 'Continue listening' }).waitFor();
  await page.getByRole('progressbar').waitFor();
  await see('30 min left · phone');
  await page.getByRole('link', { name: 'The night ferry' }).waitFor();
  await page.getByRole('heading', { name: 'New episodes' }).waitFor();
  await arrive('Home');
  await page.getByRole('link', { name: 'A station without a town' }).click();
  await page.getByRole('heading', { level: 1, name: 'A station without a town' }).waitFor();
});
