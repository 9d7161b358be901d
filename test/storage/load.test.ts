import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadStorage } from '../../src/storage/load.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const path = (name: string): string => join(fixtures, name);

/** The message of the error. */
async function refusal(spec: string): Promise<string> {
  const error = await loadStorage(spec, fixtures).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
}

describe('a plugin from a file', () => {
  it.each([
    ['./good.js', ''],
    ['./good.js:a:b', 'a:b'],
    ['../fixtures/good.js:x', 'x'],
    [`${path('good.js')}:x`, 'x'],
    [`${pathToFileURL(path('good.js'))}:x`, 'x'],
    ['file:./good.js:x', 'x'],
  ])('%s', async (spec, location) => {
    const { plugin, options } = await loadStorage(spec, fixtures);
    expect(plugin.name).toBe('good');
    expect(options).toEqual({ location });
  });

  it('that does not exist: the error names the path', async () => {
    expect(await refusal('./nowhere.js:x')).toBe(
      `storage plugin: ${path('nowhere.js')} is not a file; a relative path starts from ${fixtures}`,
    );
    expect(await refusal('./package')).toContain('is not a file');
    expect(await refusal('file://elsewhere/plugin.js')).toContain('is not a file URL on this machine');
  });

  it.each([
    [
      'missing-dependency.js',
      /cannot be loaded: .*a-driver-that-is-not-installed.*; install its dependencies next to it/,
    ],
    [
      'throws.js',
      /cannot be loaded: the driver was built for another version of Node \(.*throws\.js:1:\d+\); the fault is in the plugin/,
    ],
    ['no-default-export.js', /has no default export; a plugin ends with: export default definePlugin\(/],
    ['wrong-shape.js', /is not a storage plugin: "open" must be a function$/],
    ['not-an-object.js', /is not a storage plugin: "name" must be a string, "contract" must be a number, /],
    ['next-contract.js', /implements contract 2, but this podsync needs 1; update podsync$/],
    ['old-contract.js', /implements contract 0, but this podsync needs 1; update .*old-contract\.js$/],
    ['refuses.js', /cannot use its location: "x" names no database$/],
  ])('%s: says what is wrong with it', async (file, reason) => {
    const message = await refusal(`./${file}:x`);
    expect(message).toContain(path(file));
    expect(message).toMatch(reason);
  });
});

describe('a plugin from a package', () => {
  const modules = join(import.meta.dirname, '../../node_modules');
  const links = [join(modules, 'podsync-storage-fixture'), join(modules, '@podsync-fixture/storage')];

  beforeAll(() => {
    for (const link of links) {
      mkdirSync(dirname(link), { recursive: true });
      rmSync(link, { force: true });
      symlinkSync(path('package'), link, 'junction');
    }
  });
  afterAll(() => {
    for (const link of links) rmSync(link, { force: true });
    rmSync(join(modules, '@podsync-fixture'), { recursive: true });
  });

  it.each(['fixture:a:b', 'podsync-storage-fixture:a:b', '@podsync-fixture/storage:a:b'])('%s', async (spec) => {
    const { plugin, options } = await loadStorage(spec, '/');
    expect(plugin.name).toBe('good');
    expect(options).toEqual({ location: 'a:b' });
  });

  it.each([
    ['redis://host', 'podsync-storage-redis'],
    ['constructor', 'podsync-storage-constructor'],
    ['podsync-storage-redis', 'podsync-storage-redis'],
    ['@podsync-fixture/other:x', '@podsync-fixture/other'],
    ['JSON', 'podsync-storage-JSON'],
    ['', 'podsync-storage-'],
  ])('%s: the error says what to install', async (spec, name) => {
    expect(await refusal(spec)).toBe(
      `storage plugin: there is no package ${name} next to podsync; install it there (npm install ${name}), or use a ` +
        'built-in plugin (json, sqlite, postgres), or a file: its path begins with ./ or /',
    );
  });
});

it.each([
  ['docs/writing-a-plugin.md', '.'],
  ['examples/memory-storage/README.md', 'examples/memory-storage'],
])('the example with the location in %s', async (page, folder) => {
  const root = join(import.meta.dirname, '../..');
  const [, spec] = /--storage (\S*memory-storage\.js\S*)/.exec(await readFile(join(root, page), 'utf8'))!;
  expect((await loadStorage(spec!, join(root, folder))).options).toEqual({ name: 'demo' });
});

it.each(['json', 'sqlite', 'postgres'])('a built-in plugin: %s', async (name) => {
  const { plugin } = await loadStorage(name, fixtures);
  expect(plugin.name).toBe(name);
});

it.each([
  'postgres:bob:hunter2@host',
  'postgres://bob:hunter2%zz@host/db',
  './refuses.js:postgres://bob:hunter2@host/db',
  './refuses.js:host=db password=hunter2',
  'nowhere://bob:hunter2@host',
  '@podsync-fixture/other:redis://bob:hunter2@host',
  './nowhere.js:redis://bob:hunter2@host',
  'bob:hunter2@host',
])('no message contains a password: %s', async (spec) => {
  const error = await loadStorage(spec, fixtures).then(
    () => undefined,
    (error: Error) => error,
  );
  expect(error).toBeInstanceOf(Error);
  expect(`${error?.message} ${String(error?.cause)} ${error?.stack}`).not.toContain('hunter2');
});
