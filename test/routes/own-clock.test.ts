import { describe, expect, it } from 'vitest';
import { openTestServer, type TestServer } from '../server.ts';
import { delta, ok } from './device-requests.ts';

/*
 * Apps of the gpodder.net interface that send the time of their own clock as `since`, as Cardo and PinePods do. They
 * store it at the end of a sync, whatever others uploaded since its beginning.
 */

const FEED = 'https://feeds.example/a';
const OTHER = 'https://feeds.example/b';
const EPISODES = '/api/2/episodes/bob.json';

/** Cardo. It has the device `cardo`, and its clock is wrong by `clockError` seconds. */
function openCardo(server: TestServer, { clockError = 0 } = {}) {
  let since = 0;
  const get = async (path: string, query = ''): Promise<any> => {
    const headers = { 'user-agent': 'tauri-plugin-http/2.5.7' };
    const answer = await server.request('GET', `${path}?since=${since}${query}`, { auth: 'bob:secret', headers });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  /** `meanwhile` happens after the app has read, and before it stores its time. */
  return async (meanwhile: () => Promise<unknown> = async () => undefined) => {
    const { add, remove } = await get(delta('cardo'));
    const { actions } = await get(EPISODES, '&aggregated=true');
    await meanwhile();
    server.clock.now += 10;
    await ok(server, 'POST', EPISODES, []);
    since = server.clock.now + clockError;
    return { add, remove, played: actions.map(({ episode }: { episode: string }) => episode) };
  };
}

/** A phone whose changes apply to all devices. */
function openPhone(server: TestServer) {
  return {
    change: (add: string[], remove: string[] = []) => ok(server, 'POST', delta('phone'), { add, remove }),
    play: (episode: string) =>
      ok(server, 'POST', EPISODES, [{ podcast: FEED, episode, device: 'phone', action: 'play', position: 5 }]),
  };
}

async function open(options?: { clockError: number }) {
  const server = await openTestServer({ syncDevices: true });
  const phone = openPhone(server);
  await ok(server, 'POST', '/api/2/devices/bob/cardo.json', {});
  await phone.change([FEED]);
  await phone.play('https://media.example/1.mp3');
  server.clock.now += 1000;
  return { server, phone, sync: openCardo(server, options) };
}

describe('an app that sends its own clock', () => {
  it('receives what another device uploads during its sync', async () => {
    const { server, phone, sync } = await open();
    const first = await sync(async () => {
      await phone.change([OTHER], [FEED]);
      await phone.play('https://media.example/2.mp3');
    });
    expect(first).toEqual({ add: [FEED], remove: [], played: ['https://media.example/1.mp3'] });
    server.clock.now += 60;
    expect(await sync()).toMatchObject({
      add: [OTHER],
      remove: [FEED],
      played: expect.arrayContaining(['https://media.example/2.mp3']),
    });

    await sync(() => phone.play('https://media.example/3.mp3'));
    server.clock.now += 60;
    await phone.play('https://media.example/4.mp3');
    const played = ['https://media.example/3.mp3', 'https://media.example/4.mp3'];
    expect(await sync()).toEqual({ add: [], remove: [], played });
    expect(await sync()).toEqual({ add: [], remove: [], played: [] });
  });

  it.each([3600, 80_000])('loses nothing while the clock is fast by %i seconds', async (clockError) => {
    const { server, phone, sync } = await open({ clockError });
    await sync();
    for (const episode of ['https://media.example/2.mp3', 'https://media.example/3.mp3']) {
      server.clock.now += 600;
      await phone.play(episode);
      expect((await sync()).played).toContain(episode);
    }
    server.clock.now += 600;
    await phone.change([], [FEED]);
    expect(await sync()).toEqual({ add: [], remove: [FEED], played: [] });
  });
});
