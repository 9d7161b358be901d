import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleaners } from './processes.mjs';

const ROOT = '/sys/fs/cgroup';
const IS_VERSION_2 = existsSync(join(ROOT, 'cgroup.controllers'));
/** Microseconds in which the share is counted. */
const PERIOD = 100_000;

/** Limits a process to a share of one core, which only root may do. Safe to call twice. */
export function limit(pid, share) {
  const group = join(ROOT, IS_VERSION_2 ? '' : 'cpu', `podsync-bench-${pid}`);
  if (IS_VERSION_2) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+cpu');
  if (existsSync(group)) return;
  mkdirSync(group);
  cleaners.add(() => {
    try {
      rmdirSync(group);
    } catch {
      // its process has not ended yet; the group is empty then, and does no harm
    }
  });
  if (IS_VERSION_2) writeFileSync(join(group, 'cpu.max'), `${share * PERIOD} ${PERIOD}`);
  else writeFileSync(join(group, 'cpu.cfs_quota_us'), String(share * PERIOD));
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
}
