import { type Markup, markup } from './markup.ts';

/** What visitors without an account can do if they cannot create one themselves. `isNew`: see `Frame`. */
export const renderNoAccount = (isNew: boolean): Markup =>
  isNew
    ? markup`This server has no account yet. To create the first one, open the link that the server printed when it started, or run <code>podsync user add NAME</code> there.`
    : markup`If you have no account, ask the administrator of this server for one.`;
