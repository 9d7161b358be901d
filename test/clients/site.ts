import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPodsync, serve } from '../process/program.ts';
import { furnish } from './furnished.ts';
import { openPrefixProxy } from './prefix-proxy.ts';

/** The built podsync, with a small directory and no accounts that anyone can use, as its users reach it. */
export interface Site {
  /** What a user types into an app. */
  url: string;
  addAccount(name: string, password: string): Promise<void>;
  /** Stops the server and starts it again, at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Sub-path that the server lies below; empty for the root. */
  path: string;
  /** Whether a proxy takes the sub-path off the requests. Otherwise they arrive with it. */
  stripped: boolean;
}

/** Where a server may lie. */
export const SITES: Readonly<Record<string, SiteOptions>> = {
  'at the root': { path: '', stripped: false },
  'below a sub-path that requests arrive with': { path: '/pods/sync', stripped: false },
  'below a sub-path that a proxy takes off': { path: '/pods/sync', stripped: true },
};

export async function openSite({ path, stripped }: SiteOptions): Promise<Site> {
  const data = await mkdtemp(join(tmpdir(), 'podsync-clients-'));
  const proxy = stripped ? await openPrefixProxy(path) : undefined;
  await furnish(data);
  const args = ['--data', data];
  if (path) args.push('--base-url', `${proxy?.origin ?? 'http://127.0.0.1'}${path}`);
  let server = await serve(args);
  args.push('--port', new URL(server.url).port);
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
