/** The store as an object whose members can be replaced. */
export const wrap = (store) => ({
  isShared: store.isShared,
  get: (keys) => store.get(keys),
  list: (range) => store.list(range),
  commit: (batch) => store.commit(batch),
  ping: () => store.ping(),
  verify: () => store.verify(),
  close: () => store.close(),
});
