import manifest from 'podsync/package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import type { ImportResult } from '../domain/import-chunk.ts';
import { isLoopback } from '../domain/loopback.ts';
import { readAccount } from '../pull/account.ts';
import { logInToNextcloud } from '../pull/login-flow.ts';
import { readNextcloudAccount } from '../pull/nextcloud.ts';
import { pullAccount, type PullReport } from '../pull/pull.ts';
import { openRemote } from '../pull/remote.ts';
import { commandLine, quote } from './invocation.ts';
import { accountPath, hasAccount, type Operator, openOperator, send, withOperator } from './operator.ts';
import { messages, printResult, toChanges, toFacts, toTable } from './output.ts';
import { getRemotePassword } from './password.ts';
import { createProgress } from './progress.ts';
import { watchSignals } from './signals.ts';

interface PullOptions {
  /** The account on this server, which must exist. */
  user: string;
  /** The account on the other server; by default the same name. */
  remoteUser?: string;
  passwordStdin?: boolean;
  /** The other server is a Nextcloud, or has its interface. */
  nextcloud?: boolean;
  json?: boolean;
}

/**
 * `pull`: reads the account from the other server and sends it to the operator's routes. Rejects on failure; imported data
 * is kept, and running it again duplicates nothing.
 */
export async function pull(config: Config, address: string, options: PullOptions): Promise<void> {
  const { user, nextcloud = false, json } = options;
  const { protocol, hostname, host } = new URL(address);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    messages.warn('The password is sent unencrypted; use https:// if that server supports it');
  }
  const credentials = await getCredentials(address, options, () =>
    withOperator(config, (operator) => requireAccount(operator, user, config)),
  );
  const remote = openRemote({ address, ...credentials, userAgent: USER_AGENT });
  const operator = await openOperator(config);
  const bar = createProgress(`requests to ${host}`);
  const signal = watchSignals();
  signal.addEventListener('abort', () => void remote.close());
  let hasImported = false;
  const importChunk = async (chunk: unknown): Promise<ImportResult> => {
    const result = (await send(operator, 'POST', accountPath(user, '/pull'), chunk)) as ImportResult;
    hasImported = true;
    return result;
  };
  try {
    await requireAccount(operator, user, config);
    const report = await pullAccount(remote, importChunk, bar.show, nextcloud ? readNextcloudAccount : readAccount);
    bar.stop();
    printResult(report, json, () => toText(report));
  } catch (error) {
    const why = signal.aborted ? 'stopped' : (error as Error).message;
    const rest = 'imported data is kept, and running the command again imports the rest';
    throw new Error(hasImported ? `${why}; ${rest}` : why, { cause: error });
  } finally {
    bar.stop();
    await remote.close();
    await operator.close();
  }
}

const USER_AGENT = `podsync/${manifest.version}`;

/**
 * With a Nextcloud, the user grants access in a browser, unless the password is read from standard input. `beforeAsking` may
 * reject before the user does that, or types a password.
 */
async function getCredentials(
  address: string,
  options: PullOptions,
  beforeAsking: () => Promise<void>,
): Promise<{ user: string; password: string }> {
  const { user, remoteUser = user, passwordStdin = false, nextcloud = false } = options;
  if (nextcloud && !passwordStdin) {
    await beforeAsking();
    return logInToNextcloud({ address, userAgent: USER_AGENT, show: showLink });
  }
  return { user: remoteUser, password: await getRemotePassword(new URL(address).host, options, beforeAsking) };
}

const showLink = (link: string): void =>
  messages.info(`Open this link in a browser and grant access to podsync: ${link}`);

async function requireAccount(operator: Operator, user: string, config: Config): Promise<void> {
  if (await hasAccount(operator, user)) return;
  const account = user.includes('@') ? `NAME --email ${quote(user)}` : quote(user);
  const command = commandLine(`user add ${account}`, config);
  throw new Error(`there is no account ${user} on this server; create it with: ${command}`);
}

const times = (count: number): string => (count === 1 ? '' : ` (${count} times)`);

function toText({ rewritten, refused, notes, gaps, ...counts }: PullReport): string {
  return (
    toFacts([
      ['devices', counts.devices],
      ['subscriptions', counts.subscriptions],
      ['device groups', counts.groups],
      ['episode actions', counts.actions],
      ['settings', counts.settings],
      ['podcast lists', counts.lists],
      ['rewritten', rewritten.length],
      ['refused', refused.length],
    ]) +
    toChanges(rewritten, refused) +
    toTable([
      ...notes.map(({ note, count }) => [`changed: ${note}${times(count)}`]),
      ...gaps.map(({ gap, count }) => [`missing: ${gap}${times(count)}`]),
    ])
  );
}
