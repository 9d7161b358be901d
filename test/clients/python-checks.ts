import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it } from 'vitest';
import { openSite, type Site, type SiteOptions } from './site.ts';

/** Result of one check, with an `error` if it failed. */
interface CheckResult {
  check: string;
  error?: string;
}

/** An action that a script requests, as no client can do it. */
type ActionRequest = { request: 'add account'; name: string; password: string } | { request: 'restart' };

export interface PythonChecks {
  /** Next to this file. */
  folder: string;
  /** Modules of the folder, in the order to run them. */
  areas: readonly string[];
}

/** The one with Debian's packages; the first on the PATH may be another one. */
const PYTHON = '/usr/bin/python3';

/** For all checks of a script, in milliseconds. */
const TIMEOUT = 180_000;

/** Runs the checks at a site with these options, one test for each. */
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

/** Returns the result of each check, and of the script itself. */
async function runChecks({ folder, areas }: PythonChecks, site: Site): Promise<CheckResult[]> {
  const [driver, modules] = ['driver', folder].map((name) => join(import.meta.dirname, name)) as [string, string];
  // Only packages of the system, and no compiled files next to the sources.
  const script = spawn(PYTHON, ['-E', '-s', '-B', driver, modules, site.url, ...areas], { timeout: TIMEOUT });
  const exited = once(script, 'exit');
  const messages = text(script.stderr);
  const results: CheckResult[] = [];
  for await (const line of createInterface({ input: script.stdout })) {
    const message = JSON.parse(line) as CheckResult | ActionRequest;
    if ('check' in message) {
      results.push(message);
    } else {
      await (message.request === 'restart' ? site.restart() : site.addAccount(message.name, message.password));
      script.stdin.write('\n');
    }
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  const error = code === 0 ? {} : { error: `the script ended with ${code ?? signal}: ${await messages}` };
  results.push({ check: 'all checks are run', ...error });
  return results;
}
