import { expect } from 'vitest';
import { journey, useJourneys } from '../journey.ts';

useJourneys();

journey('7. looks through the history, and downloads it', async (visitor) => {
  const { page, signIn, go, arrive, see, download } = visitor;
  const show = () => page.getByRole('button', { name: 'Show', exact: true }).click();
  const entries = page.locator('.items > li');
  await signIn();
  await go('History');
  await expect.poll(() => entries.count()).toBe(50);
  await page.getByRole('link', { name: 'Older' }).click();
  await page.getByRole('link', { name: 'Newer' }).waitFor();
  await arrive('History');

  await page.getByLabel('Podcast').selectOption('Tide Tables');
  await page.getByLabel('Device').selectOption('Kitchen tablet');
  await show();
  await page.waitForURL('**device=kitchen*');
  const shown = await entries.allTextContents();
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((text) => !/Tide Tables[^]*Kitchen tablet/.test(text))).toEqual([]);
  expect((await download('CSV')).trimEnd().split('\r\n')).toHaveLength(shown.length + 1);
  expect(JSON.parse(await download('JSON'))).toHaveLength(shown.length);

  await page.getByLabel('From').fill('2025-11-20');
  await page.getByLabel('To', { exact: true }).fill('2025-11-10');
  await show();
  await see('The last day is before the first.');
  await arrive('History');
  expect(await page.getByLabel('From').inputValue()).toBe('2025-11-20');
  await page.getByLabel('Action').selectOption('Downloaded');
  await page.getByLabel('To', { exact: true }).fill('2025-11-21');
  await show();
  await see('Nothing in your history matches.');
  await arrive('History');
});

journey('8. looks at the statistics of each range, and the numbers behind a chart', async (visitor) => {
  const { page, signIn, go, arrive, see } = visitor;
  await signIn();
  await go('Statistics');
  for (const [range, chart] of [
    ['90 days', 'Listening time by day'],
    ['A year', 'Listening time by week'],
    ['All', 'Listening time by month'],
    ['30 days', 'Listening time by day'],
  ] as const) {
    await page.getByRole('link', { name: range, exact: true }).click();
    await page.getByRole('heading', { name: chart }).waitFor();
  }
  await see('Longest streak');
  for (const table of ['Listening time by day', 'Listening time by hour of the week']) {
    await page
      .locator('figure', { has: page.getByRole('img', { name: table, exact: true }) })
      .locator('summary')
      .click();
    await page.getByRole('region', { name: table, exact: true }).waitFor();
  }
  await arrive('Statistics');
  await page.getByRole('link', { name: 'JSON' }).click();
  await page.waitForURL('**/statistics/alice.json*');
  expect(JSON.parse((await page.locator('body').textContent())!)).toMatchObject({ range: '30d' });
});
