import { once } from 'node:events';
import { chown, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../src/cli/connect.ts';
import { send, withOperator } from '../../../src/cli/operator.ts';
import { recordIn } from '../../../src/cli/settings/storage-record.ts';
import { readConfig } from '../../../src/config.ts';
import { type Podsync } from '../../../src/podsync.ts';
import { makeFolder } from '../../folder.ts';
import { startServer } from '../podsync.ts';

async function makeOptions() {
  return { ...readConfig({ data: await makeFolder() }), log: () => undefined };
}

async function open(...args: Parameters<typeof connect>): Promise<Podsync> {
  const connection = await connect(...args);
  if ('socket' in connection) throw new Error('there is no server');
  return connection.podsync;
}

it('names the process that has locked the folder, after the timeout', async () => {
  const options = await makeOptions();
  const holder = await open(options);
  await expect(open(options, { timeout: 0 })).rejects.toThrow(/in use by process \d+/);
  await holder.close();
});

it('waits for a command that has locked the folder', async () => {
  const options = await makeOptions();
  const holder = await open(options);
  const waiting = open(options);
  await expect(open(options, { timeout: 0 })).rejects.toThrow('in use'); // the other one has been refused, too
  await holder.close();
  await (await waiting).close();
});

it('refuses the storage if another command has begun to use the folder with another one meanwhile', async () => {
  const options = await makeOptions();
  const record = recordIn(options.data);
  const other = '{"version":1,"storage":"sqlite:other.db"}';
  const memory = pathToFileURL(join(import.meta.dirname, '../../../examples/memory-storage/memory-storage.js'));
  // Opens as slowly as a command that starts while the other one creates the folder.
  const slow = `
    import { writeFileSync } from 'node:fs';
    import plugin from ${JSON.stringify(memory.href)};
    const open = async (...args) => {
      const store = await plugin.open(...args);
      writeFileSync(${JSON.stringify(record)}, ${JSON.stringify(other)});
      return { ...store, close: async () => writeFileSync(${JSON.stringify(`${record}.closed`)}, '') };
    };
    export default { ...plugin, open };`;
  const storage = join(options.data, 'slow.mjs');
  await writeFile(storage, slow);
  await expect(open({ ...options, storage })).rejects.toThrow('is used with the storage sqlite:other.db, not file:');
  expect(await readFile(record, 'utf8')).toBe(other);
  expect(await readdir(options.data)).toContain('podsync.json.closed');
});

it.skipIf(process.getuid?.() !== 0)('refuses to run as root if another user owns the folder', async () => {
  const options = await makeOptions();
  await writeFile(join(options.data, 'clock'), '1');
  await chown(join(options.data, 'clock'), 12_345, 12_345);
  const before = await readdir(options.data);
  await expect(open(options)).rejects.toThrow(`the data folder ${options.data} belongs to another user`);
  expect(await readdir(options.data)).toEqual(before);
});

it('connects to a server that runs on the folder', async () => {
  const { data } = await startServer();
  expect(await connect({ ...(await makeOptions()), data })).toEqual({ socket: expect.stringContaining(data) });
});

it('sends each request on a new connection: an idle one may just be closed by the server', async () => {
  const config = readConfig({ data: await makeFolder() });
  const used = new Set<Socket>();
  const server = createServer(({ socket }, response) => {
    if (used.has(socket)) socket.destroy();
    used.add(socket);
    response.end('1');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(join(config.data, 'control.sock')), 'listening');
  const sent = withOperator(config, async (operator) => {
    await send(operator, 'GET', '/one');
    return send(operator, 'GET', '/two');
  });
  await expect(sent).resolves.toBe(1);
});
