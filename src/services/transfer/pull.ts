import { MAX_CAPTION, MAX_DEVICES, toDeviceId } from '../../domain/device.ts';
import { Refusal } from '../../domain/errors.ts';
import type { ImportChunk, ImportResult } from '../../domain/import-chunk.ts';
import { toListName } from '../../domain/list.ts';
import { DEVICE_TYPES, type UserId } from '../../domain/types.ts';
import { createRewriteLog, sanitizeFeedUrl, type UrlRewrites, type UrlRules, redactUrl } from '../../domain/url.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { Devices } from '../sync/devices.ts';
import type { Episodes } from '../sync/episodes.ts';
import { explainRefusal } from '../sync/feed-urls.ts';
import type { Lists } from '../sync/lists.ts';
import type { Settings } from '../sync/settings.ts';
import type { Subscriptions } from '../sync/subscriptions.ts';
import { repairAction } from './pulled-action.ts';

export interface Pull {
  /**
   * Adds a chunk of an account on another server to one here, by the same rules as for apps. Removes nothing, but replaces
   * settings that exist in both. Safe to repeat. The result lists what was refused.
   */
  importChunk(user: UserId, chunk: ImportChunk): Promise<ImportResult>;
}

interface Dependencies {
  devices: Devices;
  subscriptions: Subscriptions;
  episodes: Episodes;
  settings: Settings;
  lists: Lists;
}

export function createPull({ devices, subscriptions, episodes, settings, lists }: Dependencies, rules: UrlRules): Pull {
  /** By the kind of chunk. */
  const importers: { [Kind in ImportChunk['kind']]: (user: UserId, chunk: Of<Kind>) => Promise<ImportResult> } = {
    async device(user, { device, caption, type }) {
      const id = toDeviceId(device);
      const known = DEVICE_TYPES.find((each) => each === type);
      await devices.save(user, id, {
        ...(caption !== '' && { caption: cutCaption(caption) }),
        ...(known && { type: known }),
      });
      return {
        ...NOTHING,
        imported: 1,
        rewritten: id === device ? [] : [{ from: `device ${device}`, to: `device ${id}` }],
      };
    },

    async subscriptions(user, { device, urls }) {
      const delta = { add: urls, remove: [] };
      const { rewrites } = await subscriptions.upload(user, toDeviceId(device), delta, { uploader: 'server' });
      return { ...NOTHING, imported: countUsable(urls, rewrites), ...reportRewrites(rewrites) };
    },

    async group(user, { devices: ids }) {
      await devices.synchronize(user, [ids.map(toDeviceId)], []);
      return { ...NOTHING, imported: 1 };
    },

    async actions(user, { actions }) {
      const repaired = actions.map((action) => repairAction(action));
      const usable = repaired.flatMap((each) => ('action' in each ? each : []));
      const rewrites: UrlRewrites = [];
      for (const batch of batchesOf(usable.map(({ action }) => action))) {
        rewrites.push(...(await episodes.upload(user, batch, 'server')).rewrites);
      }
      return {
        imported: usable.length,
        ...reportRewrites(rewrites),
        refused: repaired.flatMap((each) => ('reason' in each ? each : [])),
        notes: usable.flatMap(({ notes }) => notes),
      };
    },

    async settings(user, { scope: given, values }) {
      const { scope, device, podcast, episode } = given;
      const request = { ...given, device: device && toDeviceId(device) };
      const refused: ImportResult['refused'] = [];
      const account = scope === 'account' ? await settings.get(user, request) : {};
      // One by one: a value that is too large must not prevent the others.
      for (const [key, value] of Object.entries(values)) {
        // Off is the default. To set it here as well would dissolve the groups of devices in this account.
        if (scope === 'account' && key === 'sync_devices' && value === false && account[key] !== true) continue;
        const set = Object.fromEntries([[key, value]]);
        await settings.update(user, request, { set, remove: [] }).catch((error: unknown) => {
          refused.push({
            what: `the setting ${key} of ${redactUrl(episode ?? podcast ?? device ?? 'the account')}`,
            reason: reasonOf(error),
          });
        });
      }
      return { ...NOTHING, imported: Object.keys(values).length - refused.length, refused };
    },

    async list(user, { title, urls }) {
      const log = createRewriteLog();
      for (const url of urls) log.add(url, sanitizeFeedUrl(url, rules));
      const name = toListName(title);
      const known = (await lists.all(user)).find((list) => list.name === name);
      if (!known) await lists.create(user, title, urls);
      else await lists.add(user, name, urls);
      return { ...NOTHING, imported: 1, ...reportRewrites(log.pairs) };
    },
  };

  return {
    async importChunk(user, chunk) {
      const importKind = importers[chunk.kind] as (user: UserId, chunk: ImportChunk) => Promise<ImportResult>;
      try {
        return await importKind(user, chunk);
      } catch (error) {
        return { ...NOTHING, refused: [{ what: describe(chunk), reason: reasonOf(error) }] };
      }
    },
  };
}

type Of<Kind extends ImportChunk['kind']> = Extract<ImportChunk, { kind: Kind }>;

const NOTHING: ImportResult = { imported: 0, rewritten: [], refused: [], notes: [] };
const cutCaption = (text: string): string => [...text].slice(0, MAX_CAPTION).join('');

/** The actions in the same order, in batches that name no more devices than one upload may. */
function batchesOf<Action extends { readonly device?: unknown }>(actions: readonly Action[]): Action[][] {
  const batches: Action[][] = [];
  let devices = new Set<unknown>();
  for (const action of actions) {
    devices.add(action.device);
    if (batches.length === 0 || devices.size > MAX_DEVICES) {
      batches.push([]);
      devices = new Set([action.device]);
    }
    batches.at(-1)!.push(action);
  }
  return batches;
}

/** Rewritten and refused addresses, each once: those rewritten to nothing are refused. */
function reportRewrites(rewrites: UrlRewrites): Pick<ImportResult, 'rewritten' | 'refused'> {
  const unique = [...new Map(rewrites)];
  return {
    rewritten: unique.filter(([, to]) => to !== '').map(([from, to]) => ({ from: redactUrl(from), to: redactUrl(to) })),
    refused: unique
      .filter(([, to]) => to === '')
      .map(([from]) => ({ what: redactUrl(from), reason: explainRefusal(from) })),
  };
}

function countUsable(urls: readonly string[], rewrites: UrlRewrites): number {
  const results = new Map(rewrites);
  return urls.filter((url) => results.get(url) !== '').length;
}

/** Why a chunk is refused. Throws any error that has another cause than the chunk. */
function reasonOf(error: unknown): string {
  const isOfChunk =
    error instanceof Refusal
      ? ['invalid', 'too-large', 'conflict'].includes(error.code)
      : isStorageError(error, 'missing');
  if (isOfChunk) return (error as Error).message;
  throw error;
}

function describe(chunk: ImportChunk): string {
  switch (chunk.kind) {
    case 'list':
      return `the podcast list ${chunk.title}`;
    case 'settings':
      return 'settings';
    case 'actions':
      return 'episode actions';
    case 'group':
      return `the group of devices ${chunk.devices.join(', ')}`;
    default:
      return `the device ${chunk.device}`;
  }
}
