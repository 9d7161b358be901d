import { chown, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  await expect(open(options, { patience: 0 })).rejects.toThrow(/in use by process \d+/);
  await holder.close();
});

it('waits for a command that holds the folder', async () => {
  const options = await makeOptions();
  const holder = await open(options);
  const waiting = open(options);
  await expect(open(options, { patience: 0 })).rejects.toThrow('in use'); // by now the other one was refused, too
  await holder.close();
  await (await waiting).close();
});

it.skipIf(process.getuid?.() !== 0)('is not root where another user has the folder', async () => {
  const options = await makeOptions();
  await writeFile(join(options.data, 'clock'), '1');
  await chown(join(options.data, 'clock'), 12_345, 12_345);
  const before = await readdir(options.data);
  await expect(open(options)).rejects.toThrow(`the data folder ${options.data} is used by another user`);
  expect(await readdir(options.data)).toEqual(before);
});

it('reaches a server that runs on the folder', async () => {
  const { data } = await startServer();
  expect(await openOrReach({ ...(await makeOptions()), data })).toEqual({ socket: expect.stringContaining(data) });
});
