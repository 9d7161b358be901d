const POSTGRES_URL = /^postgres(?:ql)?:\/\//;

/**
 * Checks the URL of a database; undefined for an empty one. Throws an Error with what is wrong, without any part of the
 * URL, as it may contain a password.
 */
export function parseLocation(location: string): string | undefined {
  if (location === '') return undefined;
  if (!POSTGRES_URL.test(location)) {
    throw new Error('it must begin with postgres://, as in postgres://USER@HOST:5432/DATABASE');
  }
  // Several hosts are separated by commas, which only postgres.js accepts in a URL.
  if (!isReadable(location.replace(/,[^/?@]*(?=[/?]|$)/, ''))) {
    throw new Error(
      'it is not a URL such as postgres://USER@HOST:5432/DATABASE; percent-encode special characters in the ' +
        'password: # as %23, % as %25, @ as %40',
    );
  }
  return location;
}

function isReadable(location: string): boolean {
  try {
    const { username, password, pathname } = new URL(location);
    return [username, password, pathname].every((part) => decodeURIComponent(part) !== undefined);
  } catch {
    return false;
  }
}
