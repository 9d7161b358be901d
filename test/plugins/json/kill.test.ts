import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import json from '../../../plugins/json/index.ts';
import { makeFolder } from '../../folder.ts';
import { createRandom, seed } from '../../seed.ts';

it(
  'acknowledged commits survive kill -9, and every commit is stored completely or not at all, 20 times',
  { timeout: 600_000 },
  async () => {
    const random = createRandom(seed);
    const dataDir = await makeFolder();
    const acknowledged = new Map<string, number>();
    for (let round = 0; round < 20; round += 1) {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, 'writer.mjs'), dataDir, String(round * 1_000_000)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const exited = once(child, 'exit');
      const last = 50 + random(300);
      let count = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        const [user, n, version] = line.split(' ');
        acknowledged.set(`l/${user}/${n!.padStart(9, '0')}`, Number(version));
        if ((count += 1) === last) child.kill('SIGKILL');
      }
      await exited;
      expect(count).toBeGreaterThanOrEqual(last);
    }

    const store = await json.open(json.parse(''), { dataDir, log: () => undefined });
    await store.verify();
    const found = await store.list({ from: 'l/', until: 'l0', limit: 1_000_000 });
    const versions = new Map(found.map(({ key, version }) => [key, version]));
    for (const [key, version] of acknowledged) expect([key, versions.get(key)]).toEqual([key, version]);
    expect(new Set(versions.values()).size).toBe(found.length);
    const others = await store.list({ from: 'p/', until: 'p0', limit: 1_000_000 });
    const inBoth = (entries: typeof found) => entries.map(({ key, version }) => [key.slice('p/'.length), version]);
    expect(inBoth(others)).toEqual(inBoth(found));
    await store.close();
  },
);
