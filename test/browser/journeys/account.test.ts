import { expect } from 'vitest';
import { openTab, signIn } from '../chromium.ts';
import { journey, useJourneys } from '../journey.ts';

useJourneys();

journey('9. renames, groups and removes devices, and shares a list', async (visitor) => {
  const { page, context, base, open, signIn, go, arrive, see } = visitor;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  await signIn();
  await go('Devices');
  await see('AntennaPod/3.6.0');
  await link('Pixel').click();
  await arrive('Pixel');
  await page.getByLabel('Name').fill('Old phone');
  await context.clearCookies({ name: 'csrf' }); // as if the page had been open for too long
  await press('Save');
  await see('This form was too old; nothing was changed. Send it again.');
  expect(await page.getByLabel('Name').inputValue()).toBe('Old phone');
  await page.getByLabel('Type').selectOption('Other');
  await press('Save');
  await link('Old phone').waitFor();
  await press('Group devices');
  await see('Choose at least two devices.');
  await arrive('Devices');
  await page.getByRole('checkbox', { name: 'Old phone' }).check();
  await page.getByRole('checkbox', { name: 'Work laptop' }).check();
  await press('Group devices');
  await see('Old phone, Work laptop');
  await press('Keep the same subscriptions on all devices');
  await see('All devices have the same subscriptions.');
  await link('Kitchen tablet').click();
  await press('Remove device');
  await page.locator('#confirm:focus').waitFor(); // the browser asks for it
  await page.getByRole('checkbox', { name: 'Remove this device' }).check();
  await press('Remove device');
  await page.getByRole('heading', { level: 1, name: 'Devices', exact: true }).waitFor();
  await see('Device removed.');
  await see('All devices have the same subscriptions.');
  expect(await link('Kitchen tablet').count()).toBe(0);

  await go('Lists');
  await page.getByLabel('New list').fill('Sunday morning');
  await press('Create');
  await page.getByLabel('Add a podcast').fill('https://tide-tables.example/feed.xml');
  await press('Add');
  await link('Tide Tables').waitFor();
  await page.getByRole('heading', { level: 2, name: 'Rename' }).waitFor();
  await page.getByLabel('Title').fill('Sunday evening');
  await press('Rename');
  await arrive('Sunday evening');
  await go('Lists');
  await press('Move Sunday evening up');
  await expect.poll(() => page.locator('.items > li > div > bdi > a').first().textContent()).toBe('Sunday evening');
  await arrive('Lists');
  await link('Sunday evening').click();
  await page.getByRole('link', { name: '/user/alice/lists/' }).click();
  await see('A list by alice, 1 podcast');
  await open('/lists/sunday-morning');
  await press('Delete this list');
  await page.getByRole('checkbox', { name: 'Delete this list' }).check();
  await press('Delete this list');
  await arrive('Lists');
  await see('List deleted.');
  expect(await link('Sunday evening').count()).toBe(0);
  expect(page.url()).toBe(`${base}/lists?done=deleted`);
});

journey('10. sets privacy, address and password, ends sessions, takes the data, and leaves', async (visitor) => {
  const { page, server, base, signIn: signInHere, go, arrive, see, download } = visitor;
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await signInHere();
  const elsewhere = await openTab(base);
  await signIn(elsewhere);
  await go('Settings');
  await page.getByRole('checkbox', { name: 'Anyone can see what I subscribe to.', exact: true }).uncheck();
  await press('Save privacy settings');
  await see('Privacy settings saved.');
  expect(await page.getByRole('checkbox', { name: 'Anyone can see what I subscribe to.' }).isChecked()).toBe(false);
  await fill('E-mail address', 'alice@example.org');
  await press('Save e-mail address');
  await see('E-mail address saved.');

  await fill('App', 'Car radio');
  await press('Create app password');
  await see('It is not shown again.');
  await arrive('Settings');
  await page.getByRole('button', { name: 'Revoke Car radio' }).click();
  await see('App password revoked');

  await press('Sign out everywhere else');
  await see('Signed out.');
  await elsewhere.page.reload();
  await elsewhere.page.getByRole('link', { name: 'Sign in' }).first().waitFor();

  await fill('Current password', 'wrong');
  await fill('New password', 'one pass phrase');
  await fill('Repeat new password', 'another pass phrase');
  await press('Change password');
  await see('This is not your password.');
  await see('The two passwords differ.');
  await arrive('Settings');
  await fill('Current password', 'secret');
  await fill('New password', 'one pass phrase');
  await fill('Repeat new password', 'one pass phrase');
  await press('Change password');
  await see('Enter the new password in your apps, except in those with an app password.');
  expect(await download('Download all my data')).toContain('https://slow-trains.example/feed.xml');

  await fill('User name', 'alice');
  await fill('Password', 'secret');
  await press('Delete my account');
  await see('This is not your password.');
  await fill('Password', 'one pass phrase');
  await press('Delete my account');
  await page.getByRole('heading', { level: 1, name: 'Your podcasts, in sync' }).waitFor();
  expect((await server.request('GET', '/subscriptions/alice.json', { auth: 'alice:one pass phrase' })).status).toBe(
    401,
  );
});
