import type { Config } from '../../config.ts';
import { isLoopback } from '../../domain/loopback.ts';
import type { Podsync } from '../../podsync.ts';
import { redactLocation } from '../../storage/location.ts';
import { connect } from '../connect.ts';
import { limitHeapGrowth } from '../heap.ts';
import { commandLine } from '../invocation.ts';
import { messages } from '../output.ts';
import { openDataFolder, reportNewFolder } from '../settings/data-folder.ts';
import { untilSignal } from '../signals.ts';
import { reachableUrls } from './address.ts';
import type { Listener } from './connections.ts';
import { listenOnControlSocket } from './control-socket.ts';
import { listenOnNetwork } from './network.ts';
import { openServerLog } from './server-log.ts';

/** How long running requests may take while the server is stopping, in milliseconds. */
const DRAIN_TIMEOUT = 10_000;

/** `serve`: runs until a signal, then finishes running requests. Rejects with the reason if it cannot start. */
export async function serve(config: Config): Promise<void> {
  const log = openServerLog(config);
  const isNew = await openDataFolder(config.data);
  const connection = await connect({ ...config, ...log });
  if ('socket' in connection) {
    throw new Error(`a server is already running on ${config.data}; stop it, or choose another folder with --data`);
  }
  limitHeapGrowth();
  const { podsync } = connection;
  const listeners: Listener[] = [];
  try {
    const network = await listenOnNetwork(podsync.publicApp, config);
    listeners.push(network);
    listeners.push(await listenOnControlSocket(podsync.operatorApp, config.data));
    podsync.address.url = reachableUrls({ ...config, port: network.port })[0]!;
    const stopped = untilSignal();
    podsync.services.feeds.start();
    if (isNew) reportNewFolder(config.data);
    await logStart(podsync, { ...config, port: network.port });
    podsync.services.maintenance.start(); // last, as it reads the whole directory
    podsync.services.backups?.start();
    await stopped;
    messages.info('Stopping once running requests are finished; another signal stops at once');
  } finally {
    // Feeds are stopped while a command that waits for them can still get its report.
    const closing = [podsync.services.feeds.stop(), ...listeners.map((listener) => listener.close(DRAIN_TIMEOUT))];
    await Promise.all(closing).finally(() => podsync.close());
  }
}

async function logStart({ services }: Podsync, config: Config): Promise<void> {
  const { host, baseUrl, tls, data, storage } = config;
  const urls = reachableUrls(config);
  if (!tls && !isLoopback(host) && !baseUrl?.startsWith('https:')) {
    messages.warn(
      'Passwords are sent unencrypted. Use --tls-cert and --tls-key, or an https proxy in front, with its address as --base-url',
    );
  }
  messages.info(`Data folder ${data}, storage ${redactLocation(storage)}`);
  const token = await services.registration.firstAccountToken();
  if (token !== undefined) {
    messages.info(`There is no account yet. Create one with: ${commandLine('user add NAME', config)}`);
    messages.info(`Or create the first one in a browser: ${baseUrl ?? urls[0]}/register?token=${token}`);
  }
  if (baseUrl) {
    messages.info(`Listening on ${urls.join(' and ')}`);
  } else if (config.trustProxy) {
    messages.info('Apps need the address of the proxy. Set --base-url to show it here.');
  } else if (isLoopback(host)) {
    messages.info('Reachable only from this machine. For phones, start it with --host 0.0.0.0');
  }
  const user = config.trustProxy && !baseUrl ? 'the proxy' : 'podcast apps';
  messages.success(`Ready. Server address for ${user}: ${baseUrl ?? urls.join(' or ')}`);
}
