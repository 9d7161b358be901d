import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
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

  it('keeps its shape with a long user name, and with a short title above the progress of an episode', async () => {
    const name = 'x'.repeat(150);
    const { origin } = await openSampleServer({ users: ['alice', 'bob', name] });
    const phone = await openTab(origin, { viewport: { width: 360, height: 740 } });
    await signIn(phone, name);
    expect((await phone.page.locator('.site-header').boundingBox())!.height).toBeLessThan(160);
    const computer = await openTab(origin);
    await signIn(computer);
    await computer.page.getByRole('link', { name: 'The night ferry' }).click();
    expect((await computer.page.locator('article > .head progress').boundingBox())!.width).toBe(416);
  });

  it('fits a phone whose text is twice as large, with titles that can be read, and no short word cut in two', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin, { viewport: { width: 360, height: 740 } });
    const { page } = tab;
    await signIn(tab);
    for (const path of Object.values(PAGES)) {
      await tab.open(path);
      await page.evaluate('document.documentElement.style.fontSize = "200%"');
      expect.soft(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(360);
      expect.soft((await page.locator('h1').boundingBox())!.width, path).toBeGreaterThan(150);
      expect.soft(await page.evaluate(findBrokenWords('h1', 13)), path).toEqual([]);
      expect.soft(await page.evaluate(findBrokenWords('label, .table[tabindex] :is(th, td)', 8)), path).toEqual([]);
    }
  });

  it('has controls of at least 24 pixels for fingers, apart from links in a text and boxes whose label can be touched', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin, { viewport: { width: 360, height: 740 } });
    await signIn(tab);
    for (const path of [...Object.values(PAGES), '/subscriptions?view=list']) {
      await tab.open(path);
      const controls = tab.page.locator(':is(button, select, summary, .site-footer a, input):not(.check input)');
      for (const control of await controls.filter({ visible: true }).all()) {
        const { width, height } = (await control.boundingBox())!;
        const name = await control.evaluate(({ outerHTML }) => outerHTML.slice(0, 100));
        expect.soft(Math.min(width, height), `${path}: ${name}`).toBeGreaterThanOrEqual(24);
      }
    }
  });

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
    expect(await page.locator('details.menu').ariaSnapshot()).toBe('- group: alice');
    await page.locator('details.menu summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
  });

  it('closes the menu of the account when the visitor clicks elsewhere', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await page.locator('details.menu summary').click();
    expect(await signOut.isVisible()).toBe(true);
    await page.getByRole('heading', { level: 1 }).click();
    expect(await signOut.isVisible()).toBe(false);
  });

  it('shows times in the time zone of the visitor, and without a script in UTC', async () => {
    const { origin } = await openSampleServer();
    const timeZone = 'America/New_York';
    for (const javaScriptEnabled of [true, false]) {
      const tab = await openTab(origin, { timezoneId: timeZone, javaScriptEnabled });
      await signIn(tab);
      await tab.open(PAGES.device);
      const time = tab.page.locator('time').first();
      const at = new Date((await time.getAttribute('datetime'))!);
      const format = { dateStyle: 'medium', timeStyle: 'short' } as const;
      const local = new Intl.DateTimeFormat('en-GB', { ...format, timeZone }).format(at);
      const utc = `${new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' }).format(at)} UTC`;
      expect(await time.textContent()).toBe(javaScriptEnabled ? local : utc);
    }
  });

  it('says which app has connected, while it waits for the first sync, also after the server was away', async () => {
    const { origin, request } = await openSampleServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await page.clock.install();
    await signIn(tab, 'new');
    const waiting = page.locator('[data-waiting]');
    expect(await waiting.textContent()).toContain('No app has connected yet.');
    await page.evaluate('document.body.dataset.isSame = "yes"');
    await page.route(`${origin}/`, (route) => route.fulfill({ status: 503, body: 'Away' }));
    const away = page.waitForResponse(`${origin}/`);
    await page.clock.runFor(5000);
    await (await away).finished();
    await page.unroute(`${origin}/`);
    const caption = { caption: 'Pixel' };
    await request('POST', '/api/2/devices/new/phone.json', { auth: 'new:secret', body: caption });
    await page.clock.runFor(5000);
    await page.getByText('Connected: Pixel.').waitFor();
    expect(await page.evaluate('document.body.dataset.isSame')).toBe('yes');
  });

  it('keeps the focus in a choice that applies at once', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    await tab.open('/subscriptions');
    expect(await page.getByRole('button', { name: 'Apply' }).count()).toBe(0);
    await page.getByLabel('Sort by').focus();
    for (const order of ['newest', 'listened']) {
      await page.keyboard.press('ArrowDown');
      await page.waitForURL(`**sort=${order}*`);
      await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('sort');
    }
  });

  it('keeps the focus on the button that moves a list', async () => {
    const { origin, request } = await openSampleServer();
    for (const title of ['Evening', 'Später']) {
      await request('POST', `/api/2/lists/alice/create.json?title=${title}`, { auth: 'alice:secret', body: [] });
    }
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    await tab.open('/lists');
    const first = page.locator('.items > li > div > bdi > a').first();
    await page.getByRole('button', { name: 'Move Später up' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/lists#*');
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Move Später up');
    expect(await first.textContent()).toBe('For a long train ride');
    await page.keyboard.press('Enter');
    await expect.poll(() => first.textContent()).toBe('Später');
    await page.waitForLoadState();
    expect(await page.getByRole('button', { name: 'Move Später up' }).isDisabled()).toBe(true);
  });

  it('a form that the visitor stopped can be sent again', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    await tab.open('/settings');
    await page.route('**/settings/email', () => undefined); // never answers
    const disabled = await page.evaluate(`new Promise((resolve) => {
      const button = document.querySelector('form[action$="/settings/email"] button');
      const whileSent = new Promise((sent) => navigation.addEventListener('navigate', () => {
        setTimeout(() => { sent(button.disabled); stop(); });
      }, { once: true }));
      navigation.addEventListener('navigateerror', async () => resolve([await whileSent, button.disabled]), { once: true });
      button.click();
    })`);
    expect(disabled).toEqual([true, false]);
    await page.unroute('**/settings/email');
    await page.getByRole('button', { name: 'Save e-mail address' }).click();
    await page.getByText('E-mail address saved.').waitFor();
  });

  it('shows which control has the focus', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin, { viewport: { width: 1000, height: 2000 }, reducedMotion: 'reduce' });
    const { page } = tab;
    await signIn(tab);
    await tab.open('/subscriptions');
    await page.waitForLoadState('networkidle');
    const controls = await page.locator('main :is(a, button, input, select)').filter({ visible: true }).all();
    expect(controls.length).toBeGreaterThan(20);
    await page.keyboard.press('Tab'); // shown only to visitors who use the keyboard
    for (const control of controls) {
      const { x, y, width, height } = (await control.boundingBox())!;
      const clip = { x: x - 8, y: y - 8, width: width + 16, height: height + 16 };
      await page.locator(':focus').blur();
      const before = await page.screenshot({ clip });
      await control.focus();
      const isShown = !before.equals(await page.screenshot({ clip }));
      expect.soft(isShown, await control.evaluate(({ outerHTML }) => outerHTML)).toBe(true);
    }
  });

  it('shows what has the focus, also above a bar at the bottom of the screen', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin, { viewport: { width: 1000, height: 500 } });
    const { page } = tab;
    await signIn(tab);
    await tab.open('/subscriptions?view=list');
    const boxes = page.getByRole('checkbox');
    await boxes.first().check();
    const names: unknown[] = [];
    for (let box = 1; box < (await boxes.count()); box += 1) {
      await boxes.nth(box - 1).focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate(`(() => {
          const { x, y, width, height } = document.activeElement.getBoundingClientRect();
          return document.elementFromPoint(x + width / 2, y + height / 2).name;
        })()`),
      );
    }
    expect(names).toEqual(names.map(() => 'podcast'));
    expect(names.length).toBeGreaterThan(5);
  });

  it('keeps what is beside a very long name in its place on a phone', async () => {
    const { origin, request } = await openSampleServer();
    const long = 'x'.repeat(180);
    const app = { auth: 'alice:secret', headers: { 'user-agent': long } };
    const body = { add: [`https://long.example/${long}`], remove: [] };
    await request('POST', '/api/2/subscriptions/alice/phone.json', { ...app, body });
    await request('POST', `/api/2/lists/alice/create.json?title=${long}`, { ...app, body: [] });
    const tab = await openTab(origin, { viewport: { width: 360, height: 740 } });
    const { page } = tab;
    const boxOf = async (role: 'button' | 'link', name: string) =>
      (await page.getByRole(role, { name, exact: true }).boundingBox())!;
    await signIn(tab);
    await tab.open('/settings');
    const { x, width } = await boxOf('button', `Sign out ${long}`);
    expect(x + width).toBeLessThan(360);
    const current = await boxOf('link', 'Settings'); // the last one of the navigation
    expect(current.x + current.width).toBeLessThan(360);
    await tab.open('/subscriptions');
    expect((await boxOf('link', `https://long.example/${long}`)).height).toBeLessThan(300);
    await tab.open('/lists');
    const [up, down] = [await boxOf('button', `Move ${long} up`), await boxOf('button', `Move ${long} down`)];
    expect(up.y).toBe(down.y);
    expect(down.x).toBeGreaterThan(up.x);
  });

  it('writes a title in its own direction on every page: Hebrew with digits and an English word', async () => {
    const { origin, request, storage } = await openSampleServer();
    const [url, title] = ['https://ivrit.example/feed.xml', 'פרק (Pilot) 1!'];
    const auth = 'alice:secret';
    await request('POST', '/api/2/subscriptions/alice/phone.json', { auth, body: { add: [url], remove: [] } });
    await recordFeed(storage, url, { title }, []);
    await request('POST', `/api/2/lists/alice/create.json?title=${title}`, { auth, body: [url] });
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    const ofDirectory = ['/directory?q=Pilot', '/user/alice', '/subscriptions', '/subscriptions?view=list'];
    for (const path of [...ofDirectory, '/lists', '/lists/pilot-1']) {
      await tab.open(path);
      const link = page.getByRole('main').getByRole('link', { name: title, exact: true });
      const [first, last] = await link.first().evaluate((element: any) => {
        const text = element.ownerDocument.createTreeWalker(element, 4).nextNode();
        return [0, text.data.length - 1].map((at) => {
          const range = element.ownerDocument.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().x;
        });
      });
      expect.soft(last, path).toBeLessThan(first!);
    }
  });

  it('keeps the filter of the history on one line of a computer, however long a title is', async () => {
    const { origin, request } = await openSampleServer();
    const podcast = `https://long.example/${'x'.repeat(180)}`;
    const body = [{ podcast, episode: 'https://long.example/1.mp3', action: 'download' }];
    await request('POST', '/api/2/episodes/alice.json', { auth: 'alice:secret', body });
    const tab = await openTab(origin);
    await signIn(tab);
    await tab.open('/history');
    const [podcasts, show] = [tab.page.getByLabel('Podcast'), tab.page.getByRole('button', { name: 'Show' })];
    expect((await show.boundingBox())!.y).toBe((await podcasts.boundingBox())!.y);
  });

  it('selects an address or a password at once, to copy it into an app', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    await tab.open('/connect');
    await page.locator('code', { hasText: origin }).first().click();
    expect(await page.evaluate('getSelection().toString()')).toBe(origin);
    await tab.open('/settings');
    await page.getByLabel('App', { exact: true }).fill('Tablet');
    await page.getByRole('button', { name: 'Create app password' }).click();
    const password = page.getByRole('status').locator('code');
    await password.click();
    expect(await page.evaluate('getSelection().toString()')).toBe(await password.textContent());
  });

  it('shows the current page and choice, and progress, in the colours that the visitor has chosen', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin, { forcedColors: 'active' });
    const { page } = tab;
    await signIn(tab);
    await tab.open('/statistics');
    for (const [links, property] of [
      ['.site-nav a', 'borderBottomColor'],
      ['.tags a', 'backgroundColor'],
    ] as const) {
      const colours = await page
        .locator(links)
        .evaluateAll((all, name) => all.map((link) => (globalThis as any).getComputedStyle(link)[name]), property);
      const current = await page.locator(`${links}[aria-current]`).count();
      expect([current, new Set(colours).size], links).toEqual([1, 2]);
    }
    await tab.open('/');
    const progress = page.getByRole('progressbar', { name: 'Played' });
    expect(await progress.nth(0).textContent()).not.toBe(await progress.nth(1).textContent());
    expect((await progress.nth(0).screenshot()).equals(await progress.nth(1).screenshot())).toBe(false);
  });

  it('is printed without the navigation', async () => {
    const { origin } = await openSampleServer();
    const tab = await openTab(origin);
    const { page } = tab;
    await signIn(tab);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation', { name: 'Site' }).isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'Continue listening' }).isVisible()).toBe(true);
  });
});

/** A script that returns words of up to `longest` letters that are on two lines. */
const findBrokenWords = (
  selector: string,
  longest: number,
): string => `[...document.querySelectorAll('${selector}')].flatMap((element) => {
  const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  return texts.flatMap((text) => [...text.data.matchAll(/\\b\\w{1,${longest}}\\b/g)].filter(({ 0: word, index }) => {
    const range = new Range();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
  }).map(([word]) => word));
})`;
