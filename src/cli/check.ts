import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { IntegrityReport } from '../services/operations/integrity-check.ts';
import { isStorageError } from '../storage/errors.ts';
import { exportBackup } from './export.ts';
import { commandLine } from './invocation.ts';
import { sendOnce } from './operator.ts';
import { type Cell, printResult, toFacts } from './output.ts';
import { sendWithProgress } from './progress.ts';

interface CheckOptions {
  repair?: boolean;
  json?: boolean;
}

/** The result, without counts if the storage could not be opened. */
type Report = Pick<IntegrityReport, 'findings'> & Partial<IntegrityReport>;

/** `check`. Rejects if damage was found and not repaired. */
export async function check(config: Config, { repair = false, json = false }: CheckOptions): Promise<void> {
  const found = await inspect(config);
  const repaired = repair ? found.findings.filter(({ isRepairable }) => isRepairable) : [];
  const backup = repaired.length > 0 ? await repairCounts(config) : undefined;
  const report = backup === undefined ? found : await inspect(config);
  printResult(toWire(report, repaired, backup), json, () => toText(report, repaired));
  if (report.findings.length > 0) throw new Error(advise(report, repair, config));
}

async function inspect(config: Config): Promise<Report> {
  try {
    const work = { what: 'checking', path: '/operator/check', body: {}, options: { readOnly: true } };
    return (await sendWithProgress(config, work)) as IntegrityReport;
  } catch (error) {
    if (!isStorageError(error, 'corrupt')) throw error;
    return { findings: [{ where: 'storage', problem: error.message, isRepairable: false }] };
  }
}

/** Writes a backup first; returns its path. */
async function repairCounts(config: Config): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const output = join(config.data, `before-repair-${time}.ndjson.gz`);
  await exportBackup(config, { users: [], passwords: true, output, mayBeEmpty: true });
  await sendOnce(config, 'POST', '/operator/toplist/rebuild');
  return output;
}

const toWire = ({ counts, findings }: Report, repaired: Report['findings'], backup: string | undefined) => ({
  counts: counts ?? null,
  damage: findings.map(toFinding),
  repaired: repaired.map(toFinding),
  backup: backup ?? null,
});

const toFinding = ({ where, problem }: Report['findings'][number]) => ({ where, problem });

function toText({ counts, findings }: Report, repaired: Report['findings']): string {
  const damage: Cell = [findings.length, findings.length > 0 ? 'red' : 'green'];
  const facts = counts === undefined ? '' : toFacts([...Object.entries(counts), ['damage', damage]]);
  const lines = (title: string, found: Report['findings']): string[] =>
    found.map(({ where, problem }) => `${title}: ${where}: ${problem}\n`);
  return facts + [...lines('repaired', repaired), ...lines('damage', findings)].join('');
}

function advise({ findings }: Report, repair: boolean, config: Config): string {
  if (findings.some(({ isRepairable }) => !isRepairable)) {
    const remove = commandLine('user remove NAME --yes', config);
    return `some damage cannot be repaired; copy the data, then restore a backup or follow the advice given with each finding. To give up an account, or to import only that account from a backup, remove it: ${remove}`;
  }
  if (repair) return 'the repair did not remove the damage; run the command again';
  return `damage found; repair it with: ${commandLine('check --repair', config)}`;
}
