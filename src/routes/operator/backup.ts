import { readStream } from '../../http/body.ts';
import { readBoolean, readQuery } from '../../http/input.ts';
import { json } from '../../http/reply.ts';
import type { Services } from '../../services/services.ts';
import type { ImportedAccount, ImportReport } from '../../services/transfer/transfer.ts';
import type { Handler } from '../route.ts';

/** The response of `restore`, with the reason for each skipped account. */
export interface RestoreReport extends Omit<ImportReport, 'accounts'> {
  accounts: (Omit<ImportedAccount, 'problem'> & { problem: string | null })[];
}

/** Backups of accounts, or of everything. */
export function createBackupRoutes({ transfer }: Pick<Services, 'transfer'>): Record<'write' | 'restore', Handler> {
  return {
    /** A backup of each `user`, or of everything. An error during the transfer becomes the last line: `{"message": ...}`. */
    async write(event) {
      const { accounts, text } = await transfer.export({
        users: event.url.searchParams.getAll('user'),
        passwords: !readBoolean(event, 'withoutPasswords'),
      });
      return {
        type: 'application/x-ndjson',
        body: withFailure(text),
        headers: { 'podsync-accounts': String(accounts) },
      };
    },

    /** The body is a backup, compressed or not. */
    async restore(event) {
      const as = readQuery(event, 'as');
      const choice = { ...(as !== undefined && { as }), dryRun: readBoolean(event, 'dryRun') };
      const { accounts, ...directory } = await transfer.import(readStream(event), choice);
      const report: RestoreReport = {
        accounts: accounts.map((each) => ({ ...each, problem: each.problem ?? null })),
        ...directory,
      };
      return json(report);
    },
  };
}

async function* withFailure(text: AsyncIterable<string>): AsyncIterable<string> {
  try {
    yield* text;
  } catch (error) {
    yield `${JSON.stringify({ message: (error as Error).message })}\n`;
  }
}
