import type { Config } from '../config.ts';
import type { ListedSession } from '../routes/operator/users.ts';
import { askOperator, pathOf } from './operator.ts';
import { printResult } from './result.ts';
import { toTable } from './table.ts';

interface SessionOptions {
  /** End them, instead of listing them. */
  end?: boolean;
  json?: boolean;
}

/** `user sessions`. */
export async function manageSessions(config: Config, user: string, { end, json }: SessionOptions): Promise<void> {
  const answer = await askOperator(config, end ? 'DELETE' : 'GET', pathOf(user, '/sessions'));
  printResult(answer, json, () => (end ? toCount(answer) : toText(answer as ListedSession[])));
}

const toCount = (answer: unknown): string => `${(answer as { ended: number }).ended} ended\n`;

const toText = (sessions: readonly ListedSession[]): string =>
  toTable([['LAST USED', 'EXPIRES'], ...sessions.map(({ used, expires }) => [used.slice(0, 10), expires])]);
