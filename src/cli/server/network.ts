import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { type H3, toNodeHandler } from 'h3';
import { listen, type Listener as Listhen } from 'listhen';
import type { Config } from '../../config.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { cannotRead } from '../files.ts';
import { messages } from '../output.ts';
import { type ConnectionLimits, createDrain, limitConnections, limitPipelining, type Listener } from './connections.ts';

type NetworkOptions = Pick<Config, 'host' | 'port' | 'tls'>;

interface NetworkListener extends Listener {
  /** The actual port. */
  port: number;
}

/** Milliseconds. */
const TIMEOUTS = {
  /** For a whole request, such as a large upload. */
  requestTimeout: 120_000,
  /** For the head of a request. */
  headersTimeout: 15_000,
  /** Between two requests: longer than the 60 s after which most proxies close an idle connection. */
  keepAliveTimeout: 65_000,
  /** For a client that does not read its response, which is in memory until then. */
  timeout: 120_000,
};

/**
 * A thousand connections take about 50 MB over TLS. A proxy, or the apps of a large family, open a few dozen, and send the
 * next request after the response to the last one.
 */
const LIMITS: ConnectionLimits = { connections: 1000, pipelined: 20, handshakeTimeout: 15_000, closeTimeout: 5000 };

/**
 * Serves an app over http, or https with a certificate. Rejects with the reason if it cannot. `limits` is replaceable in
 * tests.
 */
export async function listenOnNetwork(app: H3, options: NetworkOptions, limits = LIMITS): Promise<NetworkListener> {
  if (options.tls) await checkCertificate(options.tls);
  try {
    const port = await findPort(options);
    const handler = limitPipelining(toNodeHandler(app), limits.pipelined);
    const listhen = await startListhen(handler, { ...options, port });
    const server = Object.assign(listhen.server as Server, TIMEOUTS);
    limitConnections(server, limits, () => warnFull(limits));
    if (listhen.address.port === port) return { port, close: createDrain(server) };
    server.close();
  } catch (error) {
    // listhen's own check refuses a port that browsers block, or that another program has taken since `findPort`.
    const isBlocked = (error as Error).name === 'GetPortError' && (await isFree(options));
    if (!isBlocked) throw new Error(explain(error as NodeJS.ErrnoException, options), { cause: error });
  }
  throw new Error(`browsers block port ${options.port}; choose another one with --port`);
}

const warnFull = ({ connections }: ConnectionLimits): void =>
  messages.warn(
    `${connections} connections are open, the most that are accepted; if this happens again, limit connections per address in a proxy or firewall`,
  );

/** Returns a free port, or rejects with the reason, which listhen does not report. */
async function findPort({ host, port }: NetworkOptions): Promise<number> {
  const probe = createServer().listen({ host, port });
  await once(probe, 'listening');
  const found = (probe.address() as AddressInfo).port;
  await new Promise((resolve) => probe.close(resolve));
  return found;
}

const isFree = (options: NetworkOptions): Promise<boolean> =>
  findPort(options).then(
    () => true,
    () => false,
  );

/**
 * listhen on exactly this host and port. By default it would choose another port, listen on every address in a
 * container, end the process at a signal, and write to stdout. It still replaces a port that browsers block.
 */
async function startListhen(handler: RequestListener, { host, port, tls }: NetworkOptions): Promise<Listhen> {
  let fail!: (error: Error) => void;
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  process.once('uncaughtException', fail); // how `listen` of listhen fails, if the port was taken since `findPort`
  try {
    const listening = listen(handler, {
      port: { port, random: false, alternativePortRange: [port, port], verbose: false },
      hostname: host,
      public: !isLoopback(host),
      https: tls ?? false,
      autoClose: false,
      showURL: false,
      qr: false,
      open: false,
      clipboard: false,
    });
    return await Promise.race([listening, failed]);
  } finally {
    process.off('uncaughtException', fail);
  }
}

function explain({ code, name, message }: NodeJS.ErrnoException, { host, port }: NetworkOptions): string {
  switch (code ?? name) {
    case 'EADDRINUSE':
    case 'GetPortError':
      return `port ${port} of ${host} is in use by another program; choose another one with --port`;
    case 'EACCES':
      return `this user may not listen on port ${port}; choose 1024 or higher with --port, and let a proxy listen on ${port}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `this machine has no address ${host}; choose another one with --host`;
    default:
      return `listening on port ${port} of ${host} failed: ${message}`;
  }
}

/** Rejects with the reason if the files cannot be read or do not match. */
async function checkCertificate(files: NonNullable<Config['tls']>): Promise<void> {
  const cert = await readPem('--tls-cert', files.cert);
  const key = await readPem('--tls-key', files.key);
  try {
    createSecureContext({ cert, key });
    // OpenSSL accepts a key of another kind, such as RSA with an elliptic curve certificate, and then refuses every client.
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('the key is another one');
  } catch (error) {
    throw new Error(
      `${files.cert} and ${files.key} are not a certificate and its key; both must be PEM files without a passphrase`,
      { cause: error },
    );
  }
}

async function readPem(option: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw cannotRead(`the file of ${option}, ${path},`, error);
  }
}
