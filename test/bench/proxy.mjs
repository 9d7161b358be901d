import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './processes.mjs';

const EXAMPLE = fileURLToPath(new URL('../../examples/high-availability/haproxy.cfg', import.meta.url));

/**
 * HAProxy with the configuration of the example, in which only addresses are replaced, and https by http.
 *
 * @param {object} options
 * @param {string} options.folder For its files.
 * @param {number} options.port For podsync.
 * @param {number} options.primaryPort For the database.
 * @param {string[]} options.nodes URLs of the servers of podsync.
 * @param {{ host: string, api: number }[]} [options.databases] Servers of PostgreSQL, and the ports of Patroni.
 */
export async function startProxy({ folder, port, primaryPort, nodes, databases = [] }) {
  const linesOf = (name, servers) => servers.map((server, n) => `    server ${name}${n + 1} ${server}\n`).join('');
  const config = (await readFile(EXAMPLE, 'utf8'))
    .replace(/^ +(?:user|group) .*\n/gm, '')
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replace('bind 127.0.0.1:6432', `bind 127.0.0.1:${primaryPort}`)
    .replace(' check port 8008', ' check')
    .replace(
      /(?: +server podsync.*\n)+/,
      linesOf(
        'podsync',
        nodes.map((url) => new URL(url).host),
      ),
    )
    .replace(
      /(?: +server db.*\n)+/,
      linesOf(
        'db',
        databases.map(({ host, api }) => `${host} port ${api}`),
      ),
    );
  const file = join(folder, `haproxy-${port}.cfg`);
  await writeFile(file, config);
  return { url: `http://127.0.0.1:${port}`, ...start('haproxy', ['-f', file], { log: join(folder, 'haproxy.log') }) };
}
