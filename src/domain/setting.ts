import { formatLimit, isLonger } from './count.ts';
import { invalid, type Refusal } from './errors.ts';
import type { Json } from './types.ts';

/** Keys in one scope. */
export const MAX_SETTINGS = 1000;
/** Characters. */
const MAX_KEY = 255;
/** Bytes, as JSON. */
const MAX_VALUE = 65_536;
/** Levels of arrays and objects. JSON with thousands of levels would overflow the stack. */
const MAX_DEPTH = 100;

export const tooManySettings = (): Refusal =>
  invalid(`a scope may have up to ${MAX_SETTINGS} settings; remove some first`);

/** Why a setting is invalid (spec 2.9); undefined if it is valid. */
export function findSettingProblem(key: string, value: Json): string | undefined {
  if (key === '' || isLonger(key, MAX_KEY) || !key.isWellFormed()) return `a key must have 1 to ${MAX_KEY} characters`;
  if (isDeeperThan(MAX_DEPTH, value)) return `a value may be nested up to ${MAX_DEPTH} levels deep`;
  const size = Buffer.byteLength(JSON.stringify(value));
  return size > MAX_VALUE ? `a value may take up to ${formatLimit(MAX_VALUE)} as JSON` : undefined;
}

const isDeeperThan = (depth: number, value: Json): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((each) => isDeeperThan(depth - 1, each)));
