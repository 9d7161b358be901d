import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start } from '../test/cli/podsync.ts';
import { makeFolder } from '../test/folder.ts';

it('embed.js serves its own page and podsync below /podcasts, and stores uploads', async () => {
  const data = join(await makeFolder(), 'site');
  const open = async () => {
    const program = join(import.meta.dirname, 'embed.js');
    const site = start([data, '0'], { program, env: { ALICES_PASSWORD: 'wonderland' } });
    const [, url] = await site.prints(/the site is at (\S+)/);
    const request = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: `Basic ${btoa('alice:wonderland')}` } });
    return { ...site, request };
  };
  const list = '/podcasts/subscriptions/alice/phone.json';

  const site = await open();
  expect(await (await site.request('/')).text()).toBe('Welcome to my site\n');
  expect(await (await site.request('/subscriptions/alice/phone.json')).text()).toBe('Welcome to my site\n');
  const upload = await site.request(list, { method: 'PUT', body: '["https://feeds.example.org/one"]' });
  expect([upload.status, upload.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Path=/podcasts;')]);
  site.kill('SIGTERM');
  expect(await site.ended).toMatchObject({ code: 0 });

  const again = await open();
  expect(await (await again.request(list)).json()).toEqual(['https://feeds.example.org/one']);
});
