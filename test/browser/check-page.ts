import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The page as it is shown now is as wide as the screen, and axe finds nothing wrong with it, in light or dark. */
export async function checkPage(page: Page): Promise<void> {
  const width = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect.soft(width, `${page.url()} is wider than the screen`).toBe(0);
  const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
  expect.soft(ids, `${page.url()} has an id twice`).toEqual([...new Set(ids)]);
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // no colour is on its way to another
    expect.soft(await findProblems(page), `${page.url()}, ${colorScheme}`).toEqual([]);
  }
}

/** What is wrong by WCAG 2.2 AA, and by good practice. */
const findProblems = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run({ resultTypes: ['violations'] }); // omits what is right
    return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html.slice(0, 200)}`));
  });
