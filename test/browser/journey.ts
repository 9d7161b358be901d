import type { BrowserContextOptions } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import type { TestServer } from '../server.ts';
import type { StorageName } from '../storages.ts';
import { checkPage } from './check-page.ts';
import { CHROMIUM, openTab, signIn, type Tab, useChromium } from './chromium.ts';
import { openProxy } from './proxy.ts';
import { openSampleServer } from './sample.ts';

const COMPUTER: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

interface Way {
  name: string;
  screen: BrowserContextOptions;
  hasScript: boolean;
  storageName: StorageName;
  /** Where a proxy serves the site; otherwise it is at the root. */
  path?: string;
}

/** With and without JavaScript, on each size of screen; together they use all storages, and a sub-path. */
const WAYS: readonly Way[] = [
  { name: 'on a computer', screen: COMPUTER, hasScript: true, storageName: 'json' },
  { name: 'on a phone, below a sub-path', screen: PHONE, hasScript: true, storageName: 'json', path: '/pods' },
  { name: 'on a computer without JavaScript, SQLite', screen: COMPUTER, hasScript: false, storageName: 'sqlite' },
  { name: 'on a phone without JavaScript, PostgreSQL', screen: PHONE, hasScript: false, storageName: 'postgres' },
];

export interface Visitor extends Tab {
  /** With the sample data. */
  server: TestServer;
  /** Its public address. */
  base: string;
  hasScript: boolean;
  signIn(name?: string, password?: string): Promise<void>;
  /** Follows a link of the navigation. */
  go(name: string): Promise<void>;
  /** Waits for the heading of a page, and checks that the page is accessible and fits the screen. */
  arrive(heading: string): Promise<void>;
  /** Waits for a text. */
  see(text: string | RegExp): Promise<void>;
  /** Follows a link to a file, and returns its content. */
  download(link: string): Promise<string>;
}

/** Starts the browser for the journeys of a file. */
export function useJourneys(): void {
  if (CHROMIUM !== undefined) useChromium();
}

/** Tests what somebody does on the site, in each way; nothing may make the browser complain. */
export function journey(title: string, visit: (visitor: Visitor) => Promise<void>): void {
  it.skipIf(CHROMIUM === undefined).each(WAYS.map((way) => [way.name, way] as const))(
    `${title}: %s`,
    async (_name, way) => {
      const { server, base } = await openServer(way);
      const tab = await openTab(base, { ...way.screen, javaScriptEnabled: way.hasScript });
      const { page } = tab;
      await visit({
        ...tab,
        server,
        base,
        hasScript: way.hasScript,
        signIn: (name, password) => signIn(tab, name, password),
        go: (name) => page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name }).click(),
        async arrive(heading) {
          await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
          if (way.hasScript) await checkPage(page); // axe is a script, too
        },
        see: (text) => page.getByText(text).first().waitFor(),
        async download(link) {
          const [file] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('link', { name: link, exact: true }).first().click(),
          ]);
          const chunks = await (await file.createReadStream()).toArray();
          return Buffer.concat(chunks).toString();
        },
      });
      expect(tab.complaints).toEqual([]);
    },
  );
}

async function openServer({ storageName, path }: Way): Promise<{ server: TestServer; base: string }> {
  const options = { storageName, registration: 'open' } as const;
  if (path === undefined) {
    const server = await openSampleServer(options);
    return { server, base: server.origin };
  }
  const proxy = await openProxy(path);
  onTestFinished(() => proxy.close());
  const server = await openSampleServer({ ...options, baseUrl: proxy.base });
  proxy.target = server.origin;
  return { server, base: proxy.base };
}
