import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** What each folder or file may import besides itself. Imports point down only. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  bin: ['src/cli'],
  'src/cli': [
    'src/atomic-file.ts',
    'src/durable-files.ts',
    'src/podsync.ts',
    'src/config.ts',
    'src/value-types.ts',
    'src/clock.ts',
    'src/storage',
    'src/domain',
    'src/routes',
    'src/services',
    'src/feeds/charset.ts',
    'src/http/malformed-request.ts',
    'src/pull',
  ],
  'src/body-limits.ts': ['src/domain'],
  'src/index.ts': ['src/podsync.ts', 'src/app.ts', 'src/services', 'src/storage', 'src/domain'],
  'src/podsync.ts': [
    'src/app.ts',
    'src/clock.ts',
    'src/options.ts',
    'src/feeds',
    'src/metrics',
    'src/services',
    'src/storage',
    'src/value-types.ts',
  ],
  'src/app.ts': [
    'src/body-limits.ts',
    'src/options.ts',
    'src/http',
    'src/routes',
    'src/services',
    'src/storage/stores.ts',
  ],
  'src/metrics': [
    'src/services',
    'src/storage/contract.ts',
    'src/storage/errors.ts',
    'src/storage/stores.ts',
    'src/http/access-log.ts',
    'src/domain',
    'src/clock.ts',
    'src/timeout.ts',
  ],
  'src/config.ts': ['src/options.ts', 'src/value-types.ts'],
  'src/value-types.ts': ['src/body-limits.ts'],
  'src/options.ts': ['src/body-limits.ts', 'src/domain'],
  'src/clock.ts': ['src/domain'],
  'src/atomic-file.ts': ['src/durable-files.ts'],
  'src/durable-files.ts': [],
  'src/thread.ts': ['src/domain'],
  'src/timeout.ts': [],
  'src/batches.ts': [],
  'src/mutex.ts': [],
  'src/lru.ts': [],
  'src/slices.ts': ['src/mutex.ts'],
  'src/routes': [
    'src/body-limits.ts',
    'src/options.ts',
    'src/feeds/charset.ts',
    'src/http',
    'src/formats',
    'src/pages',
    'src/services',
    'src/storage/stores.ts',
    'src/domain',
    'src/batches.ts',
    'src/mutex.ts',
  ],
  'src/pages': [
    'package.json',
    'src/batches.ts',
    'src/options.ts',
    'src/services',
    'src/storage/stores.ts',
    'src/domain',
  ],
  'src/http': [
    'src/body-limits.ts',
    'src/options.ts',
    'src/formats',
    'src/services',
    'src/storage/stores.ts',
    'src/storage/errors.ts',
    'src/domain',
  ],
  'src/services': [
    'src/options.ts',
    'src/feeds',
    'src/formats',
    'src/storage/stores.ts',
    'src/storage/errors.ts',
    'src/domain',
    'src/atomic-file.ts',
    'src/durable-files.ts',
    'src/batches.ts',
    'src/body-limits.ts',
    'src/clock.ts',
    'src/slices.ts',
    'src/thread.ts',
    'src/timeout.ts',
    'src/mutex.ts',
    'src/lru.ts',
  ],
  'src/feeds': ['src/domain', 'src/thread.ts', 'src/mutex.ts'],
  'src/pull': ['src/feeds', 'src/domain', 'src/batches.ts'],
  'src/formats': ['src/storage/stores.ts', 'src/domain'],
  'src/testing': ['src/plugin.ts'],
  'src/plugin.ts': [
    'src/storage/contract.ts',
    'src/storage/backend-errors.ts',
    'src/storage/batch.ts',
    'src/storage/packed-batch.ts',
    'src/durable-files.ts',
    'src/storage/errors.ts',
    'src/slices.ts',
    'src/thread.ts',
    'src/mutex.ts',
  ],
  'src/storage': ['src/domain', 'src/batches.ts', 'src/slices.ts', 'src/mutex.ts', 'src/lru.ts', 'plugins'],
  'src/domain': [],
  plugins: ['src/plugin.ts'],
};

const files = ['bin', 'src', 'plugins'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

/** The most specific entry that contains a file. */
const layerOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((layer) => file === layer || file.startsWith(`${layer}/`))
    .toSorted((a, b) => b.length - a.length)[0];

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const relatives = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!);
  return relatives.map((path) => normalize(join(dirname(file), path)));
}

it.each(files)('%s imports only from the layers below it', (file) => {
  const layer = layerOf(file);
  expect(layer, 'a layer for this file').toBeDefined();
  const allowed = [layer!, ...MAY_IMPORT[layer!]!];
  const wrong = importsOf(file).filter((path) => !allowed.some((each) => path === each || path.startsWith(`${each}/`)));
  expect(wrong).toEqual([]);
});

it('each entry point of the package has a source file', () => {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = [...Object.values<any>(exports).flatMap((entry) => entry.default ?? []), bin.podsync];
  const sources = entries.map((path: string) =>
    normalize(path)
      .replace(/^dist\//, '')
      .replace(/\.js$/, '.ts'),
  );
  expect(sources.filter((path) => !files.includes(path))).toEqual([]);
});

it('plugins import podsync only through its entry point', () => {
  const inside = files
    .filter((file) => file.startsWith('plugins/'))
    .flatMap((file) => importsOf(file).map((path) => relative('plugins', path)))
    .filter((path) => path.startsWith('..') && path !== '../src/plugin.ts');
  expect(inside).toEqual([]);
});

it('there are no circular imports', () => {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    expect(trail, 'a circle').not.toContain(file);
    if (done.has(file) || !files.includes(file)) return;
    for (const next of importsOf(file)) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

/** Tests that have a process for each file: see `vitest.config.ts`. */
const ISOLATED = /^test\/(?:browser|cli|clients|clock|docs|plugins|process)\b/;

it('tests whose files share a process replace no modules and no environment, and modules that they share define no hooks', () => {
  const shared = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((file) => file.endsWith('.ts') && !ISOLATED.test(file));
  const wrong = shared.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    // The module is loaded once, so only its first user would get the hook: `onTestFinished` in its functions works.
    return (
      /^vi\.mock\(|process\.env = /m.test(text) ||
      (!file.endsWith('.test.ts') && /^(?:before|after)(?:Each|All)\(/m.test(text))
    );
  });
  expect(wrong).toEqual([]);
});
