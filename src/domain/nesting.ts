/** Levels of arrays and objects. No client comes near. */
const MAX_DEPTH = 100;
/** Characters. A shorter text does no harm, whatever is in it. */
const CHECKED_FROM = 65_536;

/** Whether JSON text nests so deeply that it must not be parsed: where it is all brackets, that takes seconds. */
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
