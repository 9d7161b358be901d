/** Schemes that websites give to feeds so that a podcast app opens them, alone or before http(s) itself. */
const FEED_SCHEME = /^(?:feed|itpc|itms|pcast|podcast):(?:\/\/)?(https?:\/\/)?/i;

/** A feed address with http(s) in place of such a scheme; any other text as it is, trimmed. */
export const toWebScheme = (address: string): string =>
  address.trim().replace(FEED_SCHEME, (_scheme, web: string | undefined) => web ?? 'http://');
