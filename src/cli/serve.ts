import type { Config } from '../config.ts';
import type { Podsync } from '../podsync.ts';
import { redactLocation } from '../storage/location.ts';
import { isLoopback, reachableUrls } from './address.ts';
import { listenOnControlSocket } from './control-socket.ts';
import { openDataFolder } from './data-folder.ts';
import { commandLine } from './invocation.ts';
import type { Listener } from './listener.ts';
import { listenOnNetwork } from './network.ts';
import { openOrReach } from './opening.ts';
import { untilSignal } from './signals.ts';
import { log, words } from './words.ts';

/** How long running requests may take once the server is told to stop. Milliseconds. */
const DRAIN = 10_000;

/** `serve`: runs until a signal says to stop, then finishes what is under way. Rejects with why it cannot start. */
export async function serve(config: Config): Promise<void> {
  const isNew = await openDataFolder(config.data);
  const opened = await openOrReach({ ...config, log });
  if ('socket' in opened) {
    throw new Error(`a server already runs on ${config.data}; stop that one, or choose another folder with --data`);
  }
  const { podsync } = opened;
  const listeners: Listener[] = [];
  try {
    const network = await listenOnNetwork(podsync.publicApp, config);
    listeners.push(network);
    listeners.push(await listenOnControlSocket(podsync.operatorApp, config.data));
    const stopped = untilSignal();
    podsync.services.feeds.start();
    podsync.services.upkeep.start();
    if (isNew) words.info(`created the data folder ${config.data}; --data or PODSYNC_DATA names another one`);
    await greet(podsync, { ...config, port: network.port });
    await stopped;
    words.info('stopping as soon as running requests are done; another signal stops at once');
  } finally {
    // Feeds are stopped while a command that waits for them can still hear how that ended.
    await Promise.all([podsync.services.feeds.stop(), ...listeners.map((listener) => listener.close(DRAIN))]);
    await podsync.close();
  }
}

async function greet({ services }: Podsync, config: Config): Promise<void> {
  const { host, baseUrl, tls, data, storage } = config;
  const urls = reachableUrls(config);
  if (!tls && !isLoopback(host) && !baseUrl?.startsWith('https:')) {
    words.warn(
      'passwords go over the network in clear; give --tls-cert and --tls-key, or put a proxy with https in front and give its address with --base-url',
    );
  }
  words.info(`data folder ${data}, storage ${redactLocation(storage)}`);
  const token = await services.registration.firstAccountToken();
  if (token !== undefined) {
    words.info(`there is no account yet; make one with: ${commandLine('user add NAME', config)}`);
    words.info(`or make it in a browser, once: ${baseUrl ?? urls[0]}/register?token=${token}`);
  }
  if (baseUrl) {
    words.info(`listening on ${urls.join(' and ')}`);
  } else if (config.trustProxy) {
    words.info('apps want the address of the proxy: give it with --base-url, and it is told here');
  } else if (isLoopback(host)) {
    words.info('only this machine gets there; for a phone, start it with --host 0.0.0.0');
  }
  const whose = config.trustProxy && !baseUrl ? 'to give to the proxy' : 'to enter in a podcast app';
  words.success(`ready; the server address ${whose} is ${baseUrl ?? urls.join(' or ')}`);
}
