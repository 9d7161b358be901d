import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { makeFolder } from './folder.ts';

const root = join(import.meta.dirname, '..');

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
  hasInstallScript?: boolean;
  optional?: boolean;
}

const readLockfile = async (): Promise<Record<string, LockedPackage>> =>
  JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages;

it('the lockfile has the packages of every platform, so that `npm ci` works anywhere', async () => {
  const packages = await readLockfile();
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`])
      .map((name) => `${name}, of ${path}`),
  );
  expect(missing).toEqual([]);
});

it('installing podsync compiles nothing', async () => {
  const packages = await readLockfile();
  const compiled = Object.entries(packages).filter(
    ([, { hasInstallScript, optional }]) => hasInstallScript && !optional,
  );
  expect(compiled.map(([path]) => path)).toEqual([]);
});

it('an installation without development dependencies succeeds, and says how to build podsync', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, 'bin'));
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await cp(join(root, 'bin/prepare.mjs'), join(folder, 'bin/prepare.mjs'));
  const { status, stderr } = spawnSync('npm', ['run', 'prepare', '--silent'], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toContain('Run "npm install" without --omit=dev');
  expect(status).toBe(0);
});

it('an installation in a clone builds podsync, and writes nothing to stdout, where `npm pack --silent` prints the file name', async () => {
  const folder = await makeFolder();
  for (const path of ['bin', 'node_modules/typescript']) await mkdir(join(folder, path), { recursive: true });
  await cp(join(root, 'bin/prepare.mjs'), join(folder, 'bin/prepare.mjs'));
  const build = `node -e "fs.writeFileSync('built', ''); console.log('built')"`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { build } }));
  const { status, stdout, stderr } = spawnSync('node', ['bin/prepare.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toContain('built');
  expect(stdout).toBe('');
  expect(status).toBe(0);
  expect(existsSync(join(folder, 'built'))).toBe(true);
});

it.each(['dist/bin/podsync.js', 'dist/podsync.mjs'])('%s is built as a program that can be executed', (path) => {
  const { status, stdout } = spawnSync(join(root, path), ['--version'], { encoding: 'utf8' });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(status).toBe(0);
});

/** The paths of all files that `npm publish` would publish. */
let packed: string[];
beforeAll(() => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  packed = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
});

it('the package has the program, its documentation and examples, and nothing that only developers need', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const pages = [...readme.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, page]) => page!);
  expect(pages).toContain('docs/install.md');
  const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const examples = ['compose/json.yaml', 'memory-storage/memory-storage.test.js'].map((path) => `examples/${path}`);
  const needed = [...pages, ...Object.values<string>(bin), ...examples, 'LICENSE'];
  expect(needed.filter((path) => !packed.includes(path))).toEqual([]);
  const known =
    /^(?:dist\/(?:bin|src|plugins)\/.*\.(?:js|d\.ts)|dist\/package\.json|docs\/[\w-]+\.md|examples\/.*|[A-Z]+(?:\.md)?|package\.json)$/;
  expect(packed.filter((path) => !known.test(path) || /\.test\.ts$|\.map$/.test(path))).toEqual([]);
});

it('links between the pages of the package lead to files that are in it', async () => {
  const broken: string[] = [];
  for (const page of packed.filter((path) => path.endsWith('.md'))) {
    const text = await readFile(join(root, page), 'utf8');
    for (const [, link] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      const target = join(dirname(page), link!);
      const isPacked = packed.some((path) => path === target || (target.endsWith('/') && path.startsWith(target)));
      if (!isPacked) broken.push(target);
    }
  }
  // On npm's website, the links of the README start from the repository.
  const inRepository = /^(?:docs\/pictures\/\w+-light\.png|CONTRIBUTING\.md)$/;
  expect(broken.filter((path) => !inRepository.test(path))).toEqual([]);
});

it('the types of the package import only types that are in it', async () => {
  const missing: string[] = [];
  const seen = new Set(['dist/src/index.d.ts', 'dist/src/plugin.d.ts', 'dist/src/testing/index.d.ts']);
  for (const path of seen) {
    if (!packed.includes(path)) missing.push(path);
    const text = await readFile(join(root, path), 'utf8');
    for (const [, from] of text.matchAll(/(?:from |import\()["'](\.[^"']+)["']/g)) {
      seen.add(join(dirname(path), from!.replace(/\.[jt]s$/, '.d.ts')));
    }
  }
  expect(seen.size).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});

it('workflows use actions of one major version', async () => {
  for (const name of ['test.yml', 'release.yml']) {
    const text = await readFile(join(root, '.github/workflows', name), 'utf8');
    const actions = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action!);
    expect(actions.filter((action) => !/^(?:\.\/|[\w-]+\/[\w-]+@v\d+$)/.test(action))).toEqual([]);
  }
});
