import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it } from 'vitest';
import { openSite, type Site, type SiteOptions } from './site.ts';

/** What came of one check; `error` where it failed. */
interface CheckResult {
  check: string;
  error?: string;
}

/** What a script asks for, as no client can do it. */
type Wish = { please: 'add account'; name: string; password: string } | { please: 'restart' };

export interface PythonChecks {
  /** Beside this file. */
  folder: string;
  /** Modules of the folder, in the order to run them. */
  areas: readonly string[];
}

/** The one that Debian's packages are installed for; another may be first on the PATH. */
const PYTHON = '/usr/bin/python3';

/** A script that hangs is ended. Milliseconds. */
const DEADLINE = 180_000;

/** One test for each check, at a site of these options. */
export function describeChecks(name: string, checks: PythonChecks, options: SiteOptions): void {
  describe(name, async () => {
    const site = await openSite(options);
    const results = await runChecks(checks, site);
    await site.close();

    for (const { check, error } of results) {
      it(check, () => {
        if (error !== undefined) throw new Error(error);
      });
    }
  });
}

/** Answers what came of each check, and of the run itself. */
async function runChecks({ folder, areas }: PythonChecks, site: Site): Promise<CheckResult[]> {
  const [driver, modules] = ['driver', folder].map((name) => join(import.meta.dirname, name)) as [string, string];
  // Nothing but the system's own packages, and no compiled files beside the sources.
  const script = spawn(PYTHON, ['-E', '-s', '-B', driver, modules, site.url, ...areas], { timeout: DEADLINE });
  const exited = once(script, 'exit');
  const words = text(script.stderr);
  const results: CheckResult[] = [];
  for await (const line of createInterface({ input: script.stdout })) {
    const message = JSON.parse(line) as CheckResult | Wish;
    if ('check' in message) {
      results.push(message);
    } else {
      await (message.please === 'restart' ? site.restart() : site.addAccount(message.name, message.password));
      script.stdin.write('\n');
    }
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  const error = code === 0 ? {} : { error: `the script ended with ${code ?? signal}: ${await words}` };
  results.push({ check: 'the checks run to their end', ...error });
  return results;
}
