/** Schemes that make a link open in a podcast app. They replace http(s), or stand in front of it. */
const FEED_SCHEME = /^(?:feed|itpc|itms|pcast|podcast):(?:\/\/)?(https?:\/\/)?/i;

/** A feed address with such a scheme converted to http(s); any other text is only trimmed. */
export const toWebScheme = (address: string): string =>
  address.trim().replace(FEED_SCHEME, (_scheme, web: string | undefined) => web ?? 'http://');
