import { describe, expect, it } from 'vitest';
import { checkPage } from './check-page.ts';
import { CHROMIUM, openTab, signIn, useChromium } from './chromium.ts';
import { openSampleServer, PAGES, SIGNED_OUT } from './sample.ts';

const SCREENS = [
  ['a computer', { viewport: { width: 1280, height: 800 } }],
  ['a phone', { viewport: { width: 360, height: 740 } }],
] as const;

describe.skipIf(CHROMIUM === undefined)('every page', () => {
  useChromium();

  it.each(SCREENS)(
    'is accessible in light and dark, fits the screen, and keeps to its content security policy: %s',
    async (_screen, options) => {
      const { origin } = await openSampleServer({ registration: 'open' });
      const tab = await openTab(origin, options);
      const check = async (path: string): Promise<void> => {
        await tab.open(path);
        await checkPage(tab.page);
      };
      for (const path of Object.values(SIGNED_OUT)) await check(path);
      await signIn(tab);
      for (const path of Object.values(PAGES)) await check(path);
      expect(tab.complaints).toEqual([]);
    },
  );

  it('can be reached and left with the keyboard', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#content');
    await tab.open('/');
    await page.locator('details.menu summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false);
  });
});
