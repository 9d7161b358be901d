/**
 * Short name of a list or a tag, derived from its title (spec 2.8): ASCII letters and digits in lower case, joined by
 * hyphens. Accents are dropped. A title without ASCII letters and digits keeps those of its own script; `""` if it has none.
 */
export function createSlug(title: string): string {
  if (/^[a-z0-9]+$/i.test(title)) return title.toLowerCase(); // most tags
  const ascii = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?![a-z0-9])[\p{L}\p{M}\p{N}]/gu, '');
  return hyphenate(ascii, /[^a-z0-9]+/g) || keepScript(title);
}

/** Whether `createSlug` could have returned this text. */
export const isSlug = (text: string): boolean => SLUG.test(text) && text === text.toLowerCase();

const SLUG = /^[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*$/u;

function keepScript(title: string): string {
  const slug = hyphenate(title.normalize('NFKC').toLowerCase(), /[^\p{L}\p{M}\p{N}]+/gu);
  return /[\p{L}\p{N}]/u.test(slug) ? slug : '';
}

const hyphenate = (text: string, gap: RegExp): string => text.replace(gap, '-').replace(/^-|-$/g, '');
