import { describe, expect, it } from 'vitest';
import { listen } from '../listen.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { CHROMIUM, openTab, signIn, useChromium } from './chromium.ts';

/** Opens a website that is not this server's: a page with one link. Returns its address. */
async function openSite(link: string): Promise<string> {
  const { port } = await listen((_request, response) => {
    response.setHeader('content-type', 'text/html').end(`<a href="${link}">Podcasts</a>`);
  });
  return `http://localhost:${port}/`; // the server is at 127.0.0.1
}

const openServer = async () => (await openTestServer({}, 'socket')) as TestServer & { origin: string };

describe.skipIf(CHROMIUM === undefined)('a link on another website', () => {
  useChromium();

  it('leaves the forms valid that are open in other tabs', async () => {
    const { origin } = await openServer();
    const tab = await openTab(origin);
    await signIn(tab, 'bob');
    await tab.open('/settings');
    const other = await tab.context.newPage();
    await other.goto(await openSite(`${origin}/history`));
    await other.getByRole('link', { name: 'Podcasts' }).click();
    await other.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    await tab.page.getByLabel('E-mail address').fill('bob@example.org');
    await tab.page.getByRole('button', { name: 'Save e-mail address' }).click();
    await tab.page.getByText('E-mail address saved.').waitFor();
  });

  it('does not sign the visitor in to an account whose password it contains', async () => {
    const { origin } = await openServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await page.goto(await openSite(`${origin.replace('//', '//eve:secret@')}/api/2/devices/eve.json`));
    const answered = page.waitForResponse((response) => response.url().endsWith('/eve.json') && response.ok());
    await page.getByRole('link', { name: 'Podcasts' }).click();
    await answered;
    await tab.open('/');
    await page.getByRole('heading', { level: 1, name: 'Your podcasts, in sync' }).waitFor();
    expect(await page.locator('details.menu').count()).toBe(0);
  });
});
