import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { childrenOf, cleaners, findPorts, missingPrograms, start } from './processes.mjs';
import { startProxy } from './proxy.mjs';

/*
 * The cluster of examples/high-availability on this machine: three etcd, three PostgreSQL under Patroni, and HAProxy,
 * with the configuration of the example, in which only addresses, paths and the kind of shared memory are replaced.
 */

const CONFIG = fileURLToPath(new URL('../../examples/high-availability/patroni.yml', import.meta.url));
/** Shared memory is in the data folder: nothing stays behind after SIGKILL. */
const SHARED_MEMORY = 'postgresql: { parameters: { dynamic_shared_memory_type: mmap } }\n';
const NUMBERS = [1, 2, 3];
const PACKAGES = 'patroni python3-etcd etcd-server haproxy postgresql';

/** Why the cluster cannot be started here; undefined if it can. */
export function whatIsMissing() {
  const missing = missingPrograms(['patroni', 'etcd', 'haproxy']);
  if (binaries() === undefined) missing.push('PostgreSQL');
  return missing.length === 0
    ? undefined
    : `${missing.join(', ')} not installed; on Debian: apt-get install --no-install-recommends ${PACKAGES}`;
}

/** The programs of the newest PostgreSQL of Debian. */
function binaries() {
  const folder = '/usr/lib/postgresql';
  const versions = existsSync(folder) ? readdirSync(folder).toSorted((a, b) => b - a) : [];
  return versions.map((version) => join(folder, version, 'bin')).find((path) => existsSync(join(path, 'initdb')));
}

/** PostgreSQL refuses to run as root: it runs as Debian's user `postgres` then. */
function findUser() {
  if (process.getuid() !== 0) return {};
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return { uid: Number(uid), gid: Number(gid) };
}

/** The process id of the PostgreSQL on this data folder; undefined if there is none. */
function findServer(data) {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function killIfRunning(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * @typedef {object} Cluster
 * @property {string} url Of the database, with all three servers.
 * @property {string} proxyUrl The same through HAProxy; undefined before `startProxy`.
 * @property {() => Promise<string | undefined>} leader The name of the primary.
 * @property {(name: string) => Promise<void>} kill SIGKILL to Patroni and all processes of PostgreSQL.
 * @property {(name: string) => void} start Starts one that was killed.
 * @property {() => Promise<void>} untilHealthy Resolves when there are a primary, a synchronous replica and another one.
 * @property {(nodes: string[]) => Promise<string>} startProxy HAProxy for these servers of podsync; returns its URL.
 * @property {() => Promise<void>} destroy
 */

/** @returns {Promise<Cluster>} */
export async function startCluster() {
  const folder = await mkdtemp(join(tmpdir(), 'podsync-cluster-'));
  await chmod(folder, 0o755);
  const user = findUser();
  const ports = await findPorts(2 + 4 * NUMBERS.length);
  const take = () => ports.splice(-NUMBERS.length);
  const [etcdClients, etcdPeers, apis, databases] = [take(), take(), take(), take()];

  const initial = NUMBERS.map((n, at) => `etcd${n}=http://127.0.0.1:${etcdPeers[at]}`).join(',');
  const etcds = NUMBERS.map((n, at) => {
    const [client, peer] = [etcdClients[at], etcdPeers[at]].map((port) => `http://127.0.0.1:${port}`);
    const args = [
      '--enable-v2',
      '--name',
      `etcd${n}`,
      '--data-dir',
      join(folder, `etcd${n}`),
      '--initial-cluster',
      initial,
    ];
    args.push('--listen-client-urls', client, '--advertise-client-urls', client);
    args.push('--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer);
    return start('etcd', args, { log: join(folder, `etcd${n}.log`) });
  });

  // Patroni merges the files of a folder.
  const config = join(folder, 'config');
  await mkdir(config);
  await copyFile(CONFIG, join(config, '1.yml'));
  await writeFile(join(config, '2.yml'), SHARED_MEMORY);

  const nodes = new Map();
  const dataOf = (name) => join(folder, name, 'data');
  const killPostgres = (name) => {
    const pid = findServer(dataOf(name));
    if (pid) for (const each of [pid, ...childrenOf(pid)]) killIfRunning(each);
  };
  const clean = () => {
    for (const name of nodes.keys()) killPostgres(name);
    rmSync(folder, { recursive: true, force: true });
  };
  cleaners.add(clean);
  const startNode = (name) => {
    const at = Number(name.slice(2)) - 1;
    const env = {
      ...process.env,
      PATRONI_NAME: name,
      PATRONI_ETCD_HOSTS: etcdClients.map((port) => `127.0.0.1:${port}`).join(','),
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${apis[at]}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${apis[at]}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${databases[at]}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${databases[at]}`,
      PATRONI_POSTGRESQL_DATA_DIR: dataOf(name),
      PATRONI_POSTGRESQL_BIN_DIR: binaries(),
      PATRONI_POSTGRESQL_PGPASS: join(folder, name, 'pgpass'),
    };
    const log = join(folder, name, 'log');
    nodes.set(name, start('patroni', [config], { log, env, cwd: '/', ...user }));
  };
  for (const n of NUMBERS) {
    await mkdir(join(folder, `db${n}`));
    if (user.uid !== undefined) await chown(join(folder, `db${n}`), user.uid, user.gid);
    startNode(`db${n}`);
  }

  /** The members as Patroni lists them; none while it does not answer. */
  const members = async () => {
    for (const port of apis) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/cluster`, { signal: AbortSignal.timeout(2000) });
        return (await answer.json()).members;
      } catch {
        // the next one
      }
    }
    return [];
  };
  const leader = async () => (await members()).find(({ role }) => role === 'leader')?.name;
  const untilHealthy = async () => {
    for (;;) {
      const all = await members();
      const has = (role) => all.some((member) => member.role === role && member.state === 'running');
      const isLagging = all.some(({ lag = 0 }) => lag > 0 || lag === 'unknown');
      if (all.length === NUMBERS.length && has('leader') && has('sync_standby') && has('replica') && !isLagging) return;
      await sleep(250);
    }
  };

  await untilHealthy();
  const password = 'of-podsync';
  const hosts = databases.map((port) => `127.0.0.1:${port}`);
  const at = hosts[Number((await leader()).slice(2)) - 1];
  const admin = postgres(`postgres://postgres:choose-one@${at}/postgres`, { max: 1 });
  await admin.unsafe(`CREATE ROLE podsync LOGIN PASSWORD '${password}'`);
  await admin.unsafe("CREATE DATABASE podsync OWNER podsync ENCODING 'UTF8' TEMPLATE template0");
  await admin.end();

  let proxy;
  return {
    url: `postgres://podsync:${password}@${hosts.join(',')}/podsync?target_session_attrs=read-write`,
    proxyUrl: `postgres://podsync:${password}@127.0.0.1:${ports[1]}/podsync`,
    leader,
    untilHealthy,
    start: startNode,
    async kill(name) {
      const killed = nodes.get(name).stop();
      killPostgres(name);
      await killed;
    },
    async startProxy(urls) {
      await proxy?.stop();
      const servers = hosts.map((host, n) => ({ host, api: apis[n] }));
      proxy = await startProxy({ folder, port: ports[0], primaryPort: ports[1], nodes: urls, databases: servers });
      return proxy.url;
    },
    async destroy() {
      await Promise.all([...nodes.values()].map((node) => node.stop('SIGTERM')));
      await Promise.all([proxy, ...etcds].map((each) => each?.stop()));
      clean();
      cleaners.delete(clean);
    },
  };
}
