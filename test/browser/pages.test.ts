import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, openTab, signIn, useChromium } from './chromium.ts';
import { openSampleServer, PAGES, SIGNED_OUT } from './sample.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page by WCAG 2.2 AA, and by good practice. */
async function findProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const problems = await page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run();
    return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html.slice(0, 200)}`));
  });
  return problems as string[];
}

const LOOKS = [
  ['light', { colorScheme: 'light', viewport: { width: 1200, height: 800 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1200, height: 800 } }],
  ['light, on a phone', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ['dark, on a phone', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
] as const;

describe.skipIf(CHROMIUM === undefined)('every page', () => {
  useChromium();

  it.each(LOOKS)(
    'is accessible, fits the screen, and makes the browser complain of nothing: %s',
    async (_look, options) => {
      const { origin } = await openSampleServer({ registration: 'open' });
      // axe is run from outside; no page itself may do so.
      const { page, complaints } = await openTab(origin, { ...options, bypassCSP: true });
      const check = async (path: string): Promise<void> => {
        await page.goto(path);
        expect.soft(await findProblems(page), path).toEqual([]);
        const width = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect.soft(width, `${path} is wider than the screen`).toBe(0);
      };
      for (const path of Object.values(SIGNED_OUT)) await check(path);
      await signIn(page);
      for (const path of Object.values(PAGES)) await check(path);
      expect(complaints.filter((each) => !each.includes('404'))).toEqual([]);
    },
  );

  it('keeps to its content security policy', async () => {
    const { origin } = await openSampleServer();
    const { page, complaints } = await openTab(origin);
    await signIn(page);
    for (const path of Object.values(PAGES)) await page.goto(path, { waitUntil: 'networkidle' });
    expect(complaints).toEqual([]);
  });

  it('can be reached and left with the keyboard', async () => {
    const { origin } = await openSampleServer();
    const { page } = await openTab(origin);
    await signIn(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#content');
    await page.goto('/');
    await page.locator('details.menu summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false);
  });
});
