import type { Config } from '../config.ts';
import { askOperator, pathOf } from './operator.ts';
import { printResult } from './result.ts';
import { toTable } from './table.ts';

interface SessionLine {
  used: string;
  expires: string;
}

export interface SessionOptions {
  /** End them, instead of listing them. */
  end?: boolean;
  json?: boolean;
}

/** `user sessions`. */
export async function manageSessions(config: Config, user: string, { end, json }: SessionOptions): Promise<void> {
  const answer = await askOperator(config, end ? 'DELETE' : 'GET', pathOf(user, '/sessions'));
  printResult(answer, json, () => (end ? toCount(answer) : toText(answer as SessionLine[])));
}

const toCount = (answer: unknown): string => `${(answer as { ended: number }).ended} ended\n`;

const toText = (sessions: readonly SessionLine[]): string =>
  toTable([['LAST USED', 'EXPIRES'], ...sessions.map(({ used, expires }) => [used.slice(0, 10), expires])]);
