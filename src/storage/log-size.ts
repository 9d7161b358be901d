import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseStorageSpec } from './location.ts';

/** Bytes of the write-ahead log of a JSON storage; undefined for other storages. */
export async function logSize(spec: string, dataDir: string): Promise<number | undefined> {
  const { kind, plugin, location } = parseStorageSpec(spec);
  if (kind !== 'name' || plugin !== 'json') return undefined;
  const folder = resolve(dataDir, location);
  const { logNumbers, logPath } = await import('../../plugins/json/log-file.ts');
  const sizes = (await logNumbers(folder)).map((number) =>
    stat(logPath(folder, number)).then(
      ({ size }) => size,
      () => 0, // removed by a checkpoint
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
