import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { decodeXml } from '../feeds/charset.ts';
import type { OpmlImportReport } from '../services/opml-import.ts';
import { askOperator, pathOf } from './operator.ts';
import { printResult } from './result.ts';
import { toTable } from './table.ts';
import { unreadable } from './unreadable.ts';
import { words } from './words.ts';

interface OpmlImportOptions {
  user: string;
  device: string;
  replace?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** `import-opml`. `file` is `-` for standard input. Rejects when that cannot be read or is no OPML. */
export async function importOpml(config: Config, file: string, options: OpmlImportOptions): Promise<void> {
  const { user, device, replace = false, dryRun = false, json } = options;
  const opml = decodeXml(await readInput(file));
  const body = { device, opml, replace, dryRun };
  const report = (await askOperator(config, 'POST', pathOf(user, '/opml'), body)) as OpmlImportReport;
  printResult(report, json, () => toText(report, replace));
  if (dryRun) words.info('this was a dry run: nothing was changed');
}

async function readInput(file: string): Promise<Buffer> {
  try {
    return await (file === '-' ? buffer(process.stdin) : readFile(file));
  } catch (error) {
    throw unreadable(file, error);
  }
}

function toText({ added, present, removed, rewritten, refused }: OpmlImportReport, replace: boolean): string {
  const counts = toTable([
    ['added', added.length],
    ['already there', present.length],
    ...(replace ? [['removed', removed.length]] : []),
    ['rewritten', rewritten.length],
    ['refused', refused.length],
  ]);
  const details = [
    ...rewritten.map(({ from, to }) => [`rewritten: ${from} is ${to}`]),
    ...refused.map(({ url, reason }) => [`refused: ${url}: ${reason}`]),
  ];
  return counts + toTable(details);
}
