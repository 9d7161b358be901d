/** An object from JSON. Its values are not validated yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value from JSON is an object: neither an array nor null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Levels of arrays and objects. No client needs nearly as many. */
const MAX_DEPTH = 100;
/**
 * Bytes, without a byte order mark. Shorter texts are harmless; longer bodies are parsed in a thread, which has a larger
 * stack: this one could not receive what is nested thousands of levels deep.
 */
const CHECKED_FROM = 65_536 - 3;

/**
 * Arrays and objects in an upload: five times as many as it may have entries. Millions of them would fill the memory of the
 * parser thread, and `JSON.parse` cannot be interrupted: V8 would end the whole process, not only the thread.
 */
export const MAX_CONTAINERS = 500_000;

/**
 * What JSON has too many of to be parsed safely: levels (a text of nothing but brackets takes seconds), or arrays and objects,
 * of which `most` are accepted.
 */
export function findExcess(json: string, most = MAX_CONTAINERS): 'levels' | 'containers' | undefined {
  if (Buffer.byteLength(json) <= CHECKED_FROM) return undefined;
  let depth = 0;
  let containers = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') {
      if (++depth > MAX_DEPTH) return 'levels';
      if (++containers > most) return 'containers';
    } else if (char === ']' || char === '}') depth--;
  }
  return undefined;
}
