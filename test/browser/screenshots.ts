import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { it } from 'vitest';
import { openTab, signIn, useChromium } from './chromium.ts';
import { openSampleServer, PAGES } from './sample.ts';

const FOLDER = join(import.meta.dirname, '../../docs/pictures');

const WIDE = { viewport: { width: 1200, height: 800 } };
const STYLES = {
  light: { ...WIDE, colorScheme: 'light' },
  dark: { ...WIDE, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: 'light' },
} as const;

/** Pages of each style that the documentation shows. */
const SHOWN: Record<keyof typeof STYLES, readonly string[]> = {
  light: Object.keys(PAGES),
  dark: ['home', 'statistics', 'podcast'],
  phone: ['home', 'subscriptions', 'episode'],
};

useChromium();

it.each(Object.entries(STYLES) as [keyof typeof STYLES, BrowserContextOptions][])(
  'writes pictures of the main pages: %s',
  async (style, options) => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin, options);
    await mkdir(FOLDER, { recursive: true });
    await signIn(tab);
    for (const [name, path] of Object.entries(PAGES)) {
      if (!SHOWN[style].includes(name)) continue;
      await tab.open(path);
      await tab.page.waitForLoadState('networkidle');
      await save(tab.page, `${name}-${style}`);
    }
    const fresh = await openTab(origin, options);
    await signIn(fresh, 'new');
    await save(fresh.page, `guide-${style}`);
  },
);

/** With a palette: a page has few colours, and the picture a third of the bytes. */
async function save(page: Page, name: string): Promise<void> {
  await sharp(await page.screenshot())
    .png({ palette: true, effort: 10 })
    .toFile(join(FOLDER, `${name}.png`));
}
