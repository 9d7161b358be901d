import { expect, it } from 'vitest';
import { openOrReach } from '../../src/cli/opening.ts';
import { readConfig } from '../../src/config.ts';
import { type Podsync } from '../../src/podsync.ts';
import { makeFolder, startServer } from './podsync.ts';

async function makeOptions() {
  return { ...readConfig({ data: await makeFolder() }), log: () => undefined };
}

async function open(...args: Parameters<typeof openOrReach>): Promise<Podsync> {
  const opened = await openOrReach(...args);
  if ('socket' in opened) throw new Error('there is no server');
  return opened.podsync;
}

it('says who holds the folder when patience ends', async () => {
  const options = await makeOptions();
  const holder = await open(options);
  await expect(open(options, 0)).rejects.toThrow(/in use by process \d+/);
  await holder.close();
});

it('waits for a command that holds the folder', async () => {
  const options = await makeOptions();
  const holder = await open(options);
  const waiting = open(options);
  await holder.close();
  await (await waiting).close();
});

it('reaches a server that runs on the folder', async () => {
  const { data } = await startServer();
  expect(await openOrReach({ ...(await makeOptions()), data })).toEqual({ socket: expect.stringContaining(data) });
});
