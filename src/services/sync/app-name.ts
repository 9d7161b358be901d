/** Characters of an app's name that are kept. */
const MAX_LENGTH = 255;

/** The beginning of a `User-Agent`, as a string of its own: V8 would keep all of a long one for a part of it. */
export const cutAppName = (app: string): string =>
  app.length <= MAX_LENGTH ? app : Buffer.from(app.slice(0, MAX_LENGTH)).toString();
