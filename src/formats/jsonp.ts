import { invalid } from '../domain/errors.ts';

const CALLBACK = /^[a-z_$][a-z0-9_$.]*$/i;

/** Checks the function name in the parameter `jsonp` (spec 4.2). Throws `invalid` if it is missing or unsafe. */
export function parseCallback(name: string | undefined): string {
  if (!name) throw invalid('the format jsonp needs the name of a function: add ?jsonp=NAME');
  if (!CALLBACK.test(name)) {
    throw invalid(
      'the name in jsonp may contain only letters, digits, _, $ and dots, and must not start with a digit or dot',
    );
  }
  return name;
}

/** Escapes JSON for use in a script: safe inside a script element and in old JavaScript engines. */
export const escapeScript = (json: string): string =>
  json.replaceAll('</', '<\\/').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
