/**
 * JSON text that a person can read and compare: one line for each plain value of the object, one for each item of its
 * arrays.
 */
export function toLines(data: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(data).map(([key, value]) => {
    const text =
      Array.isArray(value) && value.length > 0
        ? `[\n${value.map((item) => JSON.stringify(item)).join(',\n')}\n]`
        : JSON.stringify(value);
    return `${JSON.stringify(key)}: ${text}`;
  });
  return `{\n${entries.join(',\n')}\n}\n`;
}
