import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAttemptStore } from '../../../../plugins/old/postgres/attempts.ts';
import { Database } from '../../../../plugins/old/postgres/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../postgres/database.ts';

const LIMIT = { most: 10, within: 300 };
let at = 1_800_000_000;
const now = (): number => at;
const context = { dataDir: '', now, overlap: 120, log: () => undefined };

let place: TestDatabase;
let nodes: Database[];

beforeEach(async () => {
  place = await createTestDatabase();
  nodes = await Promise.all([1, 2].map(() => Database.open({ url: place.url, now }, context)));
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await place.destroy();
});

it('two nodes let no more pass together than one would', async () => {
  const [one, two] = nodes.map(createAttemptStore);
  const waits = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one! : two!).add('key', LIMIT)));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(LIMIT.most);
  await one!.takeBack('key');
  expect(await two!.add('key', LIMIT)).toBe(0);
  expect(await one!.add('key', LIMIT)).toBe(LIMIT.within);
});

it('what is over is not kept', async () => {
  const attempts = createAttemptStore(nodes[0]!);
  const keys = nodes[0]!.prepare<{ key: string }>('SELECT key FROM attempts ORDER BY key');
  for (const key of ['one', 'two']) await attempts.add(key, LIMIT);
  at += LIMIT.within - 1;
  await attempts.add('two', LIMIT);
  at += 1;
  await attempts.add('three', LIMIT);
  expect(await nodes[0]!.read((connection) => keys.all(connection, {}))).toEqual([{ key: 'three' }, { key: 'two' }]);
});
