import manifest from 'podsync/package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import type { Taken } from '../domain/piece.ts';
import { pullAccount, type PullReport } from '../pull/pull.ts';
import { openRemote } from '../pull/remote.ts';
import { isLoopback } from './address.ts';
import { commandLine, quote } from './invocation.ts';
import { ask, hasAccount, type Operator, openOperator, pathOf } from './operator.ts';
import { getRemotePassword } from './password.ts';
import { createProgress } from './progress.ts';
import { printResult } from './result.ts';
import { watchSignals } from './signals.ts';
import { toTable } from './table.ts';
import { words } from './words.ts';

interface PullOptions {
  /** Here; it exists. */
  user: string;
  /** There. */
  remoteUser?: string;
  passwordStdin?: boolean;
  json?: boolean;
}

/**
 * `pull`: this process asks the other server, and hands on what it tells. Rejects with what stands in the way; what was
 * taken by then stays, and is not doubled by the next run.
 */
export async function pull(config: Config, address: string, options: PullOptions): Promise<void> {
  const { user, remoteUser = user, json } = options;
  const { protocol, hostname, host } = new URL(address);
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    words.warn('the password goes over the network in clear; where that server has https, name it with https://');
  }
  const password = await getRemotePassword(options);
  const remote = openRemote({ address, user: remoteUser, password, userAgent: `podsync/${manifest.version}` });
  const operator = await openOperator(config);
  const bar = createProgress(`asking ${host}`);
  const signal = watchSignals();
  signal.addEventListener('abort', () => void remote.close());
  let isBegun = false;
  const take = async (piece: unknown): Promise<Taken> => {
    const taken = (await ask(operator, 'POST', pathOf(user, '/pull'), piece)) as Taken;
    isBegun = true;
    return taken;
  };
  try {
    await requireAccount(operator, user, config);
    const report = await pullAccount(remote, take, bar.show);
    bar.stop();
    printResult(report, json, () => toText(report));
  } catch (error) {
    const why = signal.aborted ? 'stopped' : (error as Error).message;
    throw new Error(isBegun ? `${why}; what was taken stays, and the same command once more takes the rest` : why, {
      cause: error,
    });
  } finally {
    bar.stop();
    await remote.close();
    await operator.close();
  }
}

async function requireAccount(operator: Operator, user: string, config: Config): Promise<void> {
  if (await hasAccount(operator, user)) return;
  const command = commandLine(`user add ${quote(user)}`, config);
  throw new Error(`there is no account ${user} here; make it with: ${command}`);
}

const times = (count: number): string => (count === 1 ? '' : ` (${count} times)`);

function toText({ rewritten, refused, notes, gaps, ...counts }: PullReport): string {
  return (
    toTable([
      ['devices', counts.devices],
      ['subscriptions', counts.subscriptions],
      ['groups of devices', counts.groups],
      ['episode actions', counts.actions],
      ['settings', counts.settings],
      ['podcast lists', counts.lists],
      ['rewritten', rewritten.length],
      ['refused', refused.length],
    ]) +
    toTable([
      ...rewritten.map(({ from, to }) => [`rewritten: ${from} is ${to}`]),
      ...refused.map(({ what, reason }) => [`refused: ${what}: ${reason}`]),
      ...notes.map(({ note, count }) => [`${note}${times(count)}`]),
      ...gaps.map(({ gap, count }) => [`not given: ${gap}${times(count)}`]),
    ])
  );
}
