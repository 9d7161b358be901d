import { json } from '../http/reply.ts';
import type { Directory } from '../services/directory.ts';
import type { Handler } from './route.ts';

/** Counts the subscribers of all podcasts once more, for whoever runs the server. */
export const createToplistRebuildRoute =
  (directory: Directory): Handler =>
  async () =>
    json(await directory.rebuildToplist());
