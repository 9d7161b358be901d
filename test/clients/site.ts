import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPort } from '../free-port.ts';
import { runPodsync, serve } from '../process/program.ts';
import { openPrefixProxy } from './prefix-proxy.ts';
import { createSampleDirectory } from './sample-directory.ts';

/** The built podsync with a small directory, whose accounts cannot log in. */
export interface Site {
  /** The address that users enter in an app. */
  url: string;
  addAccount(name: string, password: string): Promise<void>;
  /** Restarts the server at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Sub-path of the server; empty for the root. */
  path: string;
  /** Whether a proxy strips the sub-path from requests. */
  stripped: boolean;
}

/** Locations of a server. */
export const SITES: Readonly<Record<string, SiteOptions>> = {
  'at the root': { path: '', stripped: false },
  'below a sub-path': { path: '/pods/sync', stripped: false },
  'below a sub-path that a proxy strips': { path: '/pods/sync', stripped: true },
};

export async function openSite({ path, stripped }: SiteOptions): Promise<Site> {
  const data = await mkdtemp(join(tmpdir(), 'podsync-clients-'));
  const proxy = stripped ? await openPrefixProxy(path) : undefined;
  await createSampleDirectory(data);
  const args = ['--data', data, '--port', String(await findPort())];
  if (path) args.push('--base-url', `${proxy?.origin ?? 'http://127.0.0.1'}${path}`);
  let server = await serve(args);
  if (proxy) proxy.target = server.url;

  return {
    url: `${proxy?.origin ?? server.url}${path}`,
    async addAccount(name, password) {
      await runPodsync(['user', 'add', name, '--password-stdin', '--data', data], `${password}\n`);
    },
    async restart() {
      await server.kill('SIGTERM');
      server = await serve(args);
    },
    async close() {
      await server.kill('SIGTERM');
      await proxy?.close();
      await rm(data, { recursive: true });
    },
  };
}
