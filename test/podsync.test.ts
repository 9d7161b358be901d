import { readdir } from 'node:fs/promises';
import { beforeEach, expect, it } from 'vitest';
import { openPodsync } from '../src/podsync.ts';
import { makeFolder } from './folder.ts';

let data: string;
beforeEach(async () => {
  data = await makeFolder();
});

it.each(['podcasts.example', 'ftp://podcasts.example', 'https://bob@podcasts.example'])(
  'refuses a base URL that apps cannot use: %s',
  async (baseUrl) => {
    const opening = openPodsync({ data, fetch: false, log: () => undefined, baseUrl });
    await expect(opening).rejects.toThrow(/^baseUrl must be an http or https address such as https:/);
    expect(await readdir(data)).toEqual([]);
  },
);

it('accepts a base URL that ends in a slash', async () => {
  const podsync = await openPodsync({
    data,
    fetch: false,
    log: () => undefined,
    baseUrl: 'https://podcasts.example/sub/',
  });
  const config = await podsync.publicApp.request('/clientconfig.json');
  expect(await config.json()).toMatchObject({ mygpo: { baseurl: 'https://podcasts.example/sub/' } });
  await podsync.close();
});
