import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { InspectionReport } from '../services/inspection.ts';
import { isStorageError } from '../storage/errors.ts';
import { exportBackup } from './backup-export.ts';
import { commandLine } from './invocation.ts';
import { askOperator } from './operator.ts';
import { printResult } from './result.ts';
import { followSteps } from './steps.ts';
import { toTable } from './table.ts';
import { words } from './words.ts';

interface CheckOptions {
  repair?: boolean;
  json?: boolean;
}

/** What was found. Without counts where the storage cannot even be opened. */
type Report = Pick<InspectionReport, 'findings'> & Partial<InspectionReport>;

/** `check`. Rejects when something is damaged, and was not repaired. */
export async function check(config: Config, { repair = false, json = false }: CheckOptions): Promise<void> {
  const found = await inspect(config);
  const repaired = repair ? found.findings.filter(({ isRepairable }) => isRepairable) : [];
  const backup = repaired.length > 0 ? await repairCounts(config) : undefined;
  const report = backup === undefined ? found : await inspect(config);
  printResult(toWire(report, repaired, backup), json, () => toText(report, repaired));
  if (backup !== undefined) words.info(`a backup from before the repair is in ${backup}`);
  if (report.findings.length > 0) throw new Error(advise(report, repair, config));
}

async function inspect(config: Config): Promise<Report> {
  try {
    const work = { what: 'reading accounts', path: '/operator/check', body: {}, expectation: { onlyReads: true } };
    return (await followSteps(config, work)) as InspectionReport;
  } catch (error) {
    if (!isStorageError(error, 'corrupt')) throw error;
    return { findings: [{ where: 'storage', problem: error.message, isRepairable: false }] };
  }
}

/** Answers the path of the backup that it makes first. */
async function repairCounts(config: Config): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const output = join(config.data, `before-repair-${time}.ndjson.gz`);
  await exportBackup(config, { users: [], passwords: true, output, evenEmpty: true });
  await askOperator(config, 'POST', '/operator/toplist/rebuild');
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
  const table = counts === undefined ? '' : toTable([...Object.entries(counts), ['damage', findings.length]]);
  const lines = (title: string, found: Report['findings']): string[] =>
    found.map(({ where, problem }) => `${title}: ${where}: ${problem}\n`);
  return table + [...lines('repaired', repaired), ...lines('damage', findings)].join('');
}

function advise({ findings }: Report, repair: boolean, config: Config): string {
  if (findings.some(({ isRepairable }) => !isRepairable)) {
    return 'there is damage that cannot be repaired from what is stored; copy the data folder, then restore a backup or follow the advice beside each finding';
  }
  if (repair) return 'the repair did not hold; run it again';
  return `there is damage; put it right with: ${commandLine('check --repair', config)}`;
}
