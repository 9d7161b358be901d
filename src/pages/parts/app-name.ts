const BROWSERS = [
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Edge', /\bEdg\w*\//],
  ['Opera', /\bOPR\//],
  ['Chrome', /(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** The address of its website that an app adds in parentheses, as gPodder does twice. */
const WEBSITE = / \(\+?https?:[^()]*\)/g;

/** An app by its `User-Agent`: the name of a browser and its system, and what any other app sends, without websites. */
export function describeApp(userAgent: string): string {
  if (!userAgent.startsWith('Mozilla/')) return userAgent.replaceAll(WEBSITE, '');
  const find = (known: typeof BROWSERS | typeof SYSTEMS): string | undefined =>
    known.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  return browser && system ? `${browser} on ${system}` : (browser ?? userAgent);
}
