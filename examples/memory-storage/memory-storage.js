/**
 * A storage plugin that keeps everything in memory and forgets it when the process ends: a model for real ones.
 *
 *     podsync serve --storage ./memory-storage.js:any-name
 */
import { createAttemptStore, defineOldPlugin } from 'podsync/old-plugin';
import { createActionStore } from './actions.js';
import { Data } from './data.js';
import { createDeviceStore } from './devices.js';
import { createListStore } from './lists.js';
import { createPodcastStore } from './podcasts.js';
import { createSessionStore } from './sessions.js';
import { createSettingStore } from './settings.js';
import { createSubscriptionStore } from './subscriptions.js';
import { createTransferStore } from './transfer.js';
import { createUserStore } from './users.js';

/** By name. This is the backend: it outlives `close()`, as a database would. @type {Map<string, Data>} */
const places = new Map();

export default defineOldPlugin({
  name: 'memory',
  contract: 1,

  parse(location) {
    if (location === '') throw new Error('give the memory a name, such as memory-storage.js:demo');
    return { place: location };
  },

  async open({ place }, context) {
    const data = places.get(place) ?? new Data();
    places.set(place, data);
    return {
      users: createUserStore(data, context),
      sessions: createSessionStore(data, context),
      attempts: createAttemptStore(context.now),
      devices: createDeviceStore(data, context),
      subscriptions: createSubscriptionStore(data, context),
      actions: createActionStore(data, context),
      settings: createSettingStore(data),
      lists: createListStore(data),
      podcasts: createPodcastStore(data, context),
      transfer: createTransferStore(data, context),
      async ping() {},
      async verify() {},
      async close() {},
    };
  },
});
