import { isLonger } from './count.ts';
import { invalid, type Refusal } from './errors.ts';
import type { Json } from './types.ts';

/** Keys of one scope. */
export const MAX_SETTINGS = 1000;
/** Characters. */
const MAX_KEY = 255;
/** Bytes, as JSON. */
const MAX_VALUE = 65_536;
/** Levels of arrays and objects. Writing JSON that has thousands of them overflows the stack. */
const MAX_DEPTH = 100;

export const tooManySettings = (): Refusal =>
  invalid(`there may be up to ${MAX_SETTINGS} settings here; remove some first`);

/** Why this cannot be a setting (spec 2.9); undefined where it can. */
export function findSettingProblem(key: string, value: Json): string | undefined {
  if (key === '' || isLonger(key, MAX_KEY) || !key.isWellFormed()) return `a key has 1 to ${MAX_KEY} characters`;
  if (isDeeperThan(MAX_DEPTH, value)) return `a value nests up to ${MAX_DEPTH} deep`;
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_VALUE) return `a value takes up to ${MAX_VALUE} bytes as JSON`;
  return undefined;
}

const isDeeperThan = (depth: number, value: Json): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((each) => isDeeperThan(depth - 1, each)));
