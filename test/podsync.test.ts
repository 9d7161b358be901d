import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { openPodsync, type PodsyncOptions, type PodsyncParts } from '../src/podsync.ts';
import { makeFolder } from './folder.ts';
import { quickHasher } from './server.ts';

let data: string;
beforeEach(async () => {
  data = await makeFolder();
});

/** podsync with these options, which is closed after the test. */
async function open(options: Partial<PodsyncOptions>, parts: PodsyncParts = {}) {
  const podsync = await openPodsync({ data, fetch: false, log: () => undefined, ...options }, parts);
  onTestFinished(() => podsync.close());
  return podsync;
}

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

it.each([
  { syncOverlap: 61, repeated: ['https://media.example/phone.mp3', 'https://media.example/tablet.mp3'] },
  { syncOverlap: 60, repeated: [] },
])(
  'an upload is repeated to a device whose own upload follows in less than $syncOverlap s',
  async ({ syncOverlap, repeated }) => {
    let now = 1_700_000_000;
    const { services, publicApp } = await open({ syncOverlap }, { now: () => now, hasher: quickHasher });
    await services.accounts.create({ name: 'bob', password: 'secret' });
    const headers = { authorization: `Basic ${btoa('bob:secret')}` };
    const request = async (query: string, options: RequestInit = {}): Promise<any> =>
      (await publicApp.request(`/api/2/episodes/bob.json${query}`, { headers, ...options })).json();
    const upload = async (device: string): Promise<number> => {
      const action = { podcast: 'https://feeds.example/1', episode: `https://media.example/${device}.mp3` };
      const body = JSON.stringify([{ ...action, action: 'download', device }]);
      return (await request('', { method: 'POST', body })).timestamp;
    };
    await upload('phone');
    now += 60;
    const since = await upload('tablet');
    const { actions } = await request(`?since=${since}`);
    expect(actions.map(({ episode }: { episode: string }) => episode)).toEqual(repeated);
  },
);

it('metrics can be read only with their token', async () => {
  const { publicApp } = await open({ metrics: { token: 'right' } });
  const statusWith = async (token: string): Promise<number> =>
    (await publicApp.request('/metrics', { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await statusWith('right'), await statusWith('wrong')]).toEqual([200, 404]);
});

it('refuses an invalid network for metrics, instead of keeping everybody out', async () => {
  await expect(open({ metrics: { allow: '10.0.0.0/33' } })).rejects.toThrow(
    /^metrics\.allow must be IP addresses or networks/,
  );
});

it('logs a warning if the clock of the machine has fallen far behind', async () => {
  await writeFile(join(data, 'clock'), '9000000000');
  const logged: unknown[][] = [];
  await open({ log: (...entry) => void logged.push(entry) });
  expect(logged).toEqual([['warn', expect.stringMatching(/^the clock of this machine is \d+ hours behind /)]]);
});
