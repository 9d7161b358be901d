import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** The one without windows is the same browser, and takes half the time of the others. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/** Where the browser is; undefined on a machine without one. */
export const CHROMIUM = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));

if (CHROMIUM === undefined) {
  console.warn('skipped: tests in a browser need Chromium (apt install chromium-headless-shell, or set CHROMIUM)');
}

let browser: Browser;

/** Starts the browser before the tests of a file, and ends it after them. */
export function useChromium(): void {
  beforeAll(async () => {
    // In a container there is often no user to run the sandbox as; it loads nothing but this server.
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  });
  afterAll(() => browser?.close());
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** Errors in the console, such as those of the content security policy, but not that a page has an error status. */
  complaints: string[];
  /** Opens a page by its path below the address of the server. */
  open(path: string): Promise<unknown>;
}

/** A window of a visitor of its own. `base`: the address of the server. */
export async function openTab(base: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const defaults = { baseURL: base, locale: 'en-GB', timezoneId: 'UTC', ignoreHTTPSErrors: true };
  const context = await browser.newContext({ ...defaults, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const pages = new Set<string>();
  page.on('request', (request) => request.isNavigationRequest() && pages.add(request.url()));
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource') && pages.has(message.location().url);
    if (message.type() === 'error' && !isStatus) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, context, complaints, open: (path) => page.goto(base + path) };
}

/** Signs in with the form. */
export async function signIn(
  { page, open }: Pick<Tab, 'page' | 'open'>,
  name = 'alice',
  password = 'secret',
): Promise<void> {
  await open('/login');
  await page.getByLabel('User name or e-mail address').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Site' }).waitFor();
}
