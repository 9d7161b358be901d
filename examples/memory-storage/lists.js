import { StorageError } from 'podsync/old-plugin';

/** @import { ListStore } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/** @type {(data: Data) => ListStore} */
export const createListStore = (data) => ({
  async all(user) {
    return [...data.account(user).lists.values()].map(({ name, title }) => ({ name, title }));
  },

  async find(user, name) {
    return data.account(user).lists.get(name);
  },

  async create(user, list) {
    const { lists } = data.account(user);
    if (lists.has(list.name)) throw new StorageError('conflict', 'there is a list with this name already');
    lists.set(list.name, { ...list, urls: [...list.urls] });
  },

  async replace(user, name, urls) {
    const { lists } = data.account(user);
    const list = lists.get(name);
    if (list) lists.set(name, { ...list, urls: [...urls] });
    return list !== undefined;
  },

  async delete(user, name) {
    return data.account(user).lists.delete(name);
  },
});
