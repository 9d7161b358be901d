import { markAfter, originOf } from '../../domain/stamp.ts';
import type { EpisodeAction } from '../../domain/types.ts';
import type { Core } from '../core.ts';
import type { ActionStore } from '../stores.ts';
import { latestActions, pagesOf, readChunk, scanActions } from './action-log.ts';
import { newActions } from './duplicate-actions.ts';
import { storeUpload } from './upload.ts';

export const createActionStore = (core: Core): ActionStore => ({
  append: (user, actions, uploader) =>
    storeUpload(core, user, async (account) => {
      const named = new Set(actions.map(({ device }) => device));
      return {
        devices: [...named].filter((device) => device !== undefined),
        origin: originOf(named, uploader),
        actions: await newActions(core.store, account, actions),
      };
    }),

  async query(user, { since = 0, podcasts, device, subscribedOn, latest = false }) {
    const parts = subscribedOn === undefined ? [] : (['devices', 'subscriptions'] as const);
    const { feeds, newest, mark } = await core.accounts.read(user, parts, ({ head }, { devices, subscriptions }) => {
      const list = subscribedOn === undefined ? undefined : subscriptions.of(devices.get(subscribedOn)?.number);
      const only = list && new Set(list.current().map(({ url }) => url));
      return { feeds: only, newest: head.actionStamp, mark: markAfter(head.stamp) };
    });
    const isComplete = [podcasts, feeds, device].every((condition) => condition === undefined);
    const matches = (action: EpisodeAction): boolean =>
      (podcasts === undefined || podcasts.has(action.podcast)) &&
      (feeds === undefined || feeds.has(action.podcast)) &&
      (device === undefined || action.device === device);
    if (since > newest) return { pages: nothing(), mark };
    // The head was read first: chunks up to its stamp are immutable.
    const found = pagesOf(scanActions(core.store, user, [since, newest]), (chunk) => {
      const { actions } = readChunk(chunk);
      return isComplete ? actions : actions.filter(matches);
    });
    return { pages: latest ? latestActions(found) : found, mark };
  },
});

async function* nothing(): AsyncGenerator<EpisodeAction[]> {}
