import { execFileSync } from 'node:child_process';

/** Whether a program of Debian is on the PATH. Without it there is nothing to check with. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
