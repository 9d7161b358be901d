/*
 * Measures podsync, compared with a bare h3 route in the same run. `npm run bench` measures everything except what takes
 * many minutes, `npm run bench -- NAME...` the rows whose name contains one of these words. `--check` exits 1 if a bound
 * is missed. Bounds are for an idle machine with at least two cores. Results are also written to bench-results.json.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { formatNumber, formatTable, meetsBound } from './table.mjs';

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });

const titleOf = (suite, row) => `${suite.name}: ${row.name}`;

const isWanted = (suite, row) =>
  (positionals.length === 0 && !suite.isLong) || positionals.some((word) => titleOf(suite, row).includes(word));

/** Node has SQLite from 22.13 on. For older ones, the tests install a driver. */
function hasSqlite() {
  if (isBuiltin('node:sqlite')) return true;
  try {
    return Boolean(createRequire(import.meta.url).resolve('better-sqlite3'));
  } catch {
    return false;
  }
}

/** @returns {Promise<import('./table.mjs').Suite[]>} */
async function readSuites() {
  const folder = new URL('rows/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs')).toSorted();
  return Promise.all(names.map(async (name) => (await import(new URL(name, folder).href)).default));
}

async function measure(suite) {
  const rows = suite.rows.filter((row) => isWanted(suite, row));
  if (rows.length === 0) return [];
  const missing = suite.whatIsMissing?.();
  if (missing) {
    console.error(`skipped ${suite.name}: ${missing}`);
    return [];
  }
  const results = [];
  const stage = await suite.open();
  for (const { name, unit, bound, measure: run } of rows) {
    console.error(`measuring ${suite.name}: ${name}`);
    const { value, note } = await run(stage);
    console.error(`  ${formatNumber(value)} ${unit} ${note ?? ''}`);
    const verdict = bound && (meetsBound(value, bound) ? 'ok' : 'SHORT');
    results.push({ suite: suite.name, name, value, unit, bound, verdict, note });
  }
  await suite.close(stage);
  return results;
}

const results = [];
const suites = await readSuites();
const wanted = suites.flatMap((suite) =>
  suite.rows.filter((row) => isWanted(suite, row)).map((row) => titleOf(suite, row)),
);
if (wanted.length === 0) {
  console.error(`no row has one of these words in its name: ${positionals.join(' ')}`);
  process.exit(2);
}
if (wanted.some((title) => /sqlite/i.test(title)) && !hasSqlite()) {
  console.error('the driver for SQLite is missing: run `npm test` once, which installs it');
  process.exit(2);
}
for (const suite of suites) results.push(...(await measure(suite)));
if (results.length === 0) process.exit();

const machine = `${cpus().length} x ${cpus()[0].model}, node ${process.version}`;
const file = new URL('../../bench-results.json', import.meta.url);
await writeFile(file, `${JSON.stringify({ at: new Date().toISOString(), machine, results }, null, 2)}\n`);

const short = results.filter(({ verdict }) => verdict === 'SHORT').length;
console.log(`${machine}\n\n${formatTable(results)}\n`);
console.log(short === 0 ? 'All bounds are met.' : `${short} bounds are missed: see SHORT above.`);
if (short > 0 && values.check) process.exitCode = 1;
