import { text } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { pathOf, readReply, withOperator } from './operator.ts';
import { writeWhole } from './whole-file.ts';

interface ExportOptions {
  user: string;
  format: 'opml' | 'json' | 'txt';
  device?: string;
  /** File; standard output unless given. */
  output?: string;
}

/** `export`. Rejects when there is no such user or device, or the file cannot be written; then it is as it was. */
export async function exportSubscriptions(config: Config, options: ExportOptions): Promise<void> {
  const { user, format, device, output } = options;
  const query = new URLSearchParams({ format, ...(device !== undefined && { device }) });
  const path = pathOf(user, `/subscriptions?${query}`);
  const list = await withOperator(config, (operator) => readReply(operator, ['GET', path], text), { onlyReads: true });
  if (output === undefined) process.stdout.write(list);
  else await writeWhole(output, list);
}
