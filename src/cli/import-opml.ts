import { createReadStream } from 'node:fs';
import type { Config } from '../config.ts';
import { countOf, formatLimit } from '../domain/count.ts';
import { decodeXml } from '../feeds/charset.ts';
import type { OpmlImportReport } from '../services/sync/opml-import.ts';
import { cannotRead } from './files.ts';
import { accountPath, sendOnce } from './operator.ts';
import { messages, printResult, toChanges, toFacts } from './output.ts';

interface OpmlImportOptions {
  user: string;
  device: string;
  replace?: boolean;
  dryRun?: boolean;
  /** Fail if feeds were refused. The others are still imported. */
  strict?: boolean;
  json?: boolean;
}

/** `import-opml`. `file` is `-` for standard input. Rejects if it cannot be read or is not OPML. */
export async function importOpml(config: Config, file: string, options: OpmlImportOptions): Promise<void> {
  const { user, device, replace = false, dryRun = false, strict = false, json } = options;
  const opml = decodeXml(await readInput(file, config.maxBody, replace));
  const body = { device, opml, replace, dryRun };
  const report = (await sendOnce(config, 'POST', accountPath(user, '/opml'), body)) as OpmlImportReport;
  printResult(report, json, () => toText(report, replace));
  if (dryRun) messages.info('Dry run: nothing was changed');
  if (strict && report.refused.length > 0) throw new Error(`${countOf(report.refused.length, 'feed')} refused`);
}

/** Stops at the limit, as standard input may be endless. */
async function readInput(file: string, limit: number, replace: boolean): Promise<Buffer> {
  const name = file === '-' ? 'standard input' : file;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    throw cannotRead(name, error);
  }
  if (size > limit) {
    const once = replace ? ', and import only the first with --replace' : '';
    throw new Error(`${name} is larger than ${formatLimit(limit)}; split it into several OPML files${once}`);
  }
  return Buffer.concat(chunks);
}

function toText({ added, present, removed, rewritten, refused }: OpmlImportReport, replace: boolean): string {
  const counts = toFacts([
    ['added', added.length],
    ['unchanged', present.length],
    ...(replace ? [['removed', removed.length] as const] : []),
    ['rewritten', rewritten.length],
    ['refused', refused.length],
  ]);
  return (
    counts +
    toChanges(
      rewritten,
      refused.map(({ url, reason }) => ({ what: url, reason })),
    )
  );
}
