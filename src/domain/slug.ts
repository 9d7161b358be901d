/**
 * Short name of a list, made from its title (spec 2.8): ASCII letters and digits in lower case, joined by hyphens.
 * Accents are dropped; a title without any ASCII letter or digit keeps its own. `""` when there is none of any script.
 */
export function createSlug(title: string): string {
  const ascii = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?![a-z0-9])[\p{L}\p{M}\p{N}]/gu, '');
  return hyphenate(ascii, /[^a-z0-9]+/g) || keepScript(title);
}

/** Whether a text can be a name made by `createSlug`. */
export const isSlug = (text: string): boolean => SLUG.test(text) && text === text.toLowerCase();

const SLUG = /^[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*$/u;

function keepScript(title: string): string {
  const slug = hyphenate(title.normalize('NFKC').toLowerCase(), /[^\p{L}\p{M}\p{N}]+/gu);
  return /[\p{L}\p{N}]/u.test(slug) ? slug : '';
}

const hyphenate = (text: string, gap: RegExp): string => text.replace(gap, '-').replace(/^-|-$/g, '');
