import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';

it('sanitizes and limits the texts of a file like those of a feed', async () => {
  const { services } = await openTestServer();
  const user = (await services.accounts.findByName('bob'))!;
  const url = 'http://example.org/a';
  const many = Array.from({ length: 200_000 }, (_, at) => `word${at}`).join('-');
  const entry = {
    url,
    title: `A\u0000 <b>bold</b>\n title ${many}`,
    description: `Salt &amp; pepper.<br>${many}`,
    website: `http://example.org/${'x'.repeat(10_000)}`,
  };
  await services.opmlImport.run(user.id, [entry], { device: 'phone', replace: false, dryRun: false });
  const { title, description, website } = (await services.directory.podcast(url)).podcast;
  expect([title.slice(0, 20), title.length]).toEqual(['A bold title word0-w', 500]);
  expect([description.slice(0, 20), description.length]).toEqual(['Salt & pepper.\nword0', 10_000]);
  expect(website).toBe('');
});

it('reports refused addresses without the passwords in them', async () => {
  const { services } = await openTestServer();
  const user = (await services.accounts.findByName('bob'))!;
  const entries = [{ url: 'ftp://bob:hunter2@example.org/a' }];
  const { refused } = await services.opmlImport.run(user.id, entries, {
    device: 'phone',
    replace: false,
    dryRun: true,
  });
  expect(refused).toEqual([{ url: 'ftp://***@example.org/a', reason: expect.not.stringContaining('hunter2') }]);
});
