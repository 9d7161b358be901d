import type { UserId } from '../../domain/types.ts';
import { under } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Directory } from './directory.ts';
import type { DirectoryAccounts } from './accounts.ts';

/** Lets each account that has waiting feeds bring as many of them as it may. */
export async function bringAllWaiting(
  { store, memory }: Directory,
  bring: DirectoryAccounts['bringWaiting'],
): Promise<void> {
  const done = new Set<UserId>();
  // What comes into the directory is not among them any more.
  for (const [digest, { count }] of memory.waiting) {
    if (count === 0) continue;
    const prefix = `f/${digest}/` as const;
    for await (const page of scan(store, under(prefix))) {
      for (const { key } of page) {
        const user = key.slice(prefix.length) as UserId;
        if (done.has(user)) continue;
        done.add(user);
        await bring(user, (each) => memory.waiting.has(each));
      }
    }
  }
}
