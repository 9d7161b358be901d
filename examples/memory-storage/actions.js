import { markAfter, originOf } from 'podsync/old-plugin';
import { meet } from './podcasts.js';
import { upload } from './upload.js';

/** @import { ActionQuery, ActionStore, EpisodeAction, OpenContext } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

const PAGE = 1000;

/** The same for two uploads of one action: all fields but the GUID. @param {EpisodeAction} action */
export const fingerprint = ({ podcast, episode, device, action, timestamp, play }) =>
  JSON.stringify([podcast, episode, device, action, timestamp, play?.started, play?.position, play?.total]);

/** @type {(data: Data, context: OpenContext) => ActionStore} */
export const createActionStore = (data, context) => ({
  async append(user, uploaded, sender) {
    const account = data.account(user);
    meet(
      data,
      uploaded.map(({ podcast }) => podcast),
      context.now(),
    );
    const named = new Set(uploaded.map(({ device }) => device));
    const devices = [...named].filter((device) => device !== undefined);
    return upload(account, context, { devices, origin: originOf(named, sender) }, (stamp) => {
      const before = account.actions.length;
      for (const action of uploaded) {
        if (account.fingerprints.has(fingerprint(action))) continue;
        account.fingerprints.add(fingerprint(action));
        account.actions.push({ action, stamp, at: context.now() });
      }
      return account.actions.length > before;
    });
  },

  async query(user, { subscribedOn, ...query }) {
    const account = data.account(user);
    const { last } = account;
    const feeds = subscribedOn === undefined ? undefined : new Set(account.subscribed([subscribedOn]));
    const actions = account.actions.filter(({ action }) => feeds?.has(action.podcast) ?? true);
    return { pages: read(actions, query), mark: markAfter(last) };
  },
});

/**
 * The pages of a snapshot. They are made when they are asked for; a plugin with a file or a database also reads them
 * only then.
 * @param {{ action: EpisodeAction, stamp: number }[]} snapshot
 * @param {ActionQuery} query
 */
async function* read(snapshot, { since = 0, podcast, device, latest = false }) {
  let found = snapshot
    .filter(({ stamp }) => stamp >= since)
    .map(({ action }) => action)
    .filter((action) => podcast === undefined || action.podcast === podcast)
    .filter((action) => device === undefined || action.device === device);
  if (latest) found = latestOf(found);
  for (let i = 0; i < found.length; i += PAGE) yield found.slice(i, i + PAGE);
}

/** The newest per episode by its own time, of several the last uploaded. @param {EpisodeAction[]} actions */
function latestOf(actions) {
  /** @type {Map<string, EpisodeAction>} */
  const latest = new Map();
  for (const action of actions) {
    const episode = JSON.stringify([action.podcast, action.episode]);
    const rival = latest.get(episode);
    if (rival && rival.timestamp > action.timestamp) continue;
    latest.delete(episode); // so that the order of the map is that of the uploads
    latest.set(episode, action);
  }
  return [...latest.values()];
}
