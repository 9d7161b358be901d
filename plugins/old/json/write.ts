import type { UserId } from '../../../src/old-plugin.ts';
import type { AccountWrite } from './account-write.ts';
import { ActionBatch } from './action-batch.ts';
import type { DirectoryChange } from './directory.ts';
import type { Packing } from './journal.ts';
import type { RegistryChange } from './registry.ts';
import type { WrittenActions } from './written-actions.ts';

/** One change of the journal: all that one write changes. */
export interface Write {
  registry?: RegistryChange[];
  account?: AccountWrite & { user: UserId };
  directory?: DirectoryChange[];
  /** Removes everything, before all else that the write does. */
  cleared?: true;
}

/** Actions stand behind the rest, as the texts that they have already: an upload brings them in one change at most. */
export const WRITE_PACKING: Packing<Write> = {
  pack(write) {
    const texts = [JSON.stringify(write)];
    for (const change of write.account?.upload?.changes ?? []) {
      if (change.kind === 'act') for (const { json } of change.actions.texts) texts.push(json);
    }
    return texts;
  },
  unpack([first, ...texts]) {
    const write = first as Write;
    for (const change of write.account?.upload?.changes ?? []) {
      if (change.kind === 'act') change.actions = ActionBatch.read(texts as WrittenActions[]);
    }
    return write;
  },
};
