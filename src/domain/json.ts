/** Whether a value from JSON is an object: neither an array nor null. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Levels of arrays and objects. No client needs nearly as many. */
const MAX_DEPTH = 100;
/** Characters. Shorter texts are harmless. */
const CHECKED_FROM = 65_536;

/** Whether JSON is nested too deeply to be parsed safely: a text of nothing but brackets takes seconds. */
export function isTooDeep(json: string): boolean {
  if (json.length <= CHECKED_FROM) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
