import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

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
  const folder = await mkdtemp(join(tmpdir(), 'podsync-install-'));
  await mkdir(join(folder, 'bin'));
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await cp(join(root, 'bin/prepare.mjs'), join(folder, 'bin/prepare.mjs'));
  const { status, stderr } = spawnSync('npm', ['run', 'prepare', '--silent'], { cwd: folder, encoding: 'utf8' });
  await rm(folder, { recursive: true });
  expect(stderr).toContain('Run "npm install" without --omit=dev');
  expect(status).toBe(0);
});

it('the package has all pages that the README leads to, and no tests', async () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const packed: string[] = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const pages = [...readme.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, page]) => page!);
  expect(pages).toContain('docs/install.md');
  expect(pages.filter((page) => !packed.includes(page))).toEqual([]);
  expect(packed.filter((path) => /\.test\.ts$|^docs\/pictures/.test(path))).toEqual([]);
});
