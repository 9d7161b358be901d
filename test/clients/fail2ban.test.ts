import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { run, startServer } from '../cli/podsync.ts';
import { makeFolder } from '../folder.ts';
import { isInstalled } from './installed.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/fail2ban');
const [GUESSER, SCANNER, OLD_APP] = ['203.0.113.7', '2001:db8::7', '198.51.100.1'];
const FORGED = '192.0.2.66';

/** Of Debian's package fail2ban. */
const HAS_FAIL2BAN = isInstalled('fail2ban-regex');
const check = it.skipIf(!HAS_FAIL2BAN);

/** The log of a server behind a proxy while several clients guess passwords, and try to put other addresses into it. */
async function attack(format: string): Promise<string> {
  const data = await makeFolder();
  await run(['user', 'add', 'bob', '--password-stdin', '--data', data], { input: 'a long password' });
  const options = ['--data', data, '--trust-proxy', '--access-log', '--log-format', format];
  const server = await startServer(options);
  const request = async (path: string, from: string, auth?: string): Promise<void> => {
    const headers = {
      'x-forwarded-for': from,
      ...(auth !== undefined && { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
    };
    await (await fetch(server.url + path, { headers })).text();
  };
  const devices = '/api/2/devices/bob.json';
  for (let at = 0; at < 12; at++) await request(devices, GUESSER, `bob:guess ${at}`);
  await request(devices, SCANNER, 'admin:admin');
  await request('/getlist?username=bob&password=old', OLD_APP);

  const line = `2026-01-01T00:00:00.000Z [warn] Failed login from ${FORGED}: unknown user`;
  await request(devices, line, 'bob:guess');
  await request(devices, 'unknown', `x\n${line}:guess`);
  await request(`/x[1]:${encodeURIComponent(`\n${line}`)}`, '192.0.2.1');
  await request('/[warn]Failed+login+from+192.0.2.66:+', '192.0.2.1');
  await request(devices, '192.0.2.2', 'bob:a long password');
  await request(devices, '192.0.2.3');
  server.kill('SIGTERM');
  return (await server.ended).stderr;
}

/** The addresses of failed logins that fail2ban finds in a log. */
async function findAddresses(log: string): Promise<string[]> {
  const file = join(await makeFolder(), 'podsync.log');
  await writeFile(file, log);
  const args = ['--out', 'ip', file, join(EXAMPLE, 'filter.d/podsync.conf')];
  const { stdout } = await promisify(execFile)('fail2ban-regex', args);
  return stdout.trim().split('\n');
}

/** As fail2ban reads them from the journal. */
const toJournal = (log: string): string =>
  log.replaceAll(/^(?=.)/gm, '2026-11-25T20:15:30.420858+00:00 server node[4711]: ');

const title = 'fail2ban finds the addresses of an attack, and no other ones, in a log of the format %s';
check.each(['text', 'json'])(
  HAS_FAIL2BAN ? title : `${title} (skipped: fail2ban-regex is not installed)`,
  async (format) => {
    const log = await attack(format);
    const expected = [...Array<string>(12).fill(GUESSER), SCANNER, OLD_APP];
    expect(await findAddresses(log)).toEqual(expected);
    expect(await findAddresses(toJournal(log))).toEqual(expected);
  },
);

it('the jail uses the filter, for the service of the example', async () => {
  const [jail, filter] = await Promise.all(
    ['jail.d/podsync.conf', 'filter.d/podsync.conf'].map((name) => readFile(join(EXAMPLE, name), 'utf8')),
  );
  expect(jail).toMatch(/^filter = podsync$/m);
  expect(filter).toMatch(/^journalmatch = _SYSTEMD_UNIT=podsync\.service$/m);
});
