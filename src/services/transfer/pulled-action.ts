import { parseAction } from '../../domain/action.ts';
import { toDeviceId } from '../../domain/device.ts';
import { Refusal } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { parsePosition } from '../../domain/position.ts';
import { parseTimestamp } from '../../domain/timestamp.ts';
import { createRewriteLog, redactUrl } from '../../domain/url.ts';

/** An action that can be uploaded, with notes on what was changed; or the reason why it cannot. */
type Repaired = { action: JsonObject; notes: string[] } | { what: string; reason: string };

const TIMES = ['started', 'position', 'total'];

/** The optional keys that are removed at each attempt. */
const OPTIONAL_KEYS = [
  [],
  ['started', 'total'],
  ['started', 'total', 'position'],
  ['started', 'total', 'position', 'guid'],
];

/**
 * Repairs an episode action of another server as far as possible. Without a valid time it gets the oldest possible one:
 * the same for each import, and never newer than a known action.
 */
export function repairAction(value: unknown): Repaired {
  const given = withSeconds(isJsonObject(value) ? value : {});
  const { device } = given;
  const isDated = hasTime(given);
  const dated = {
    ...given,
    ...(!isDated && { timestamp: 0 }),
    ...(typeof device === 'string' && device !== '' && { device: toDeviceId(device) }),
  };
  let reason: string | undefined;
  for (const keys of OPTIONAL_KEYS) {
    const action = Object.fromEntries(Object.entries(dated).filter(([key]) => !keys.includes(key)));
    const problem = findProblem(action);
    if (problem === undefined) {
      return {
        action,
        notes: [
          ...(isDated ? [] : ['an episode action has no time: it counts as the oldest']),
          ...(reason === undefined ? [] : [`invalid fields of an episode action were left out: ${reason}`]),
        ],
      };
    }
    reason ??= problem;
  }
  return { what: `an episode action of ${describe(given)}`, reason: reason! };
}

/** From this number on, a time is in milliseconds: in seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;

/** Converts all valid times to seconds. */
function withSeconds(given: JsonObject): JsonObject {
  const isText = typeof given.timestamp === 'string' && /^\d{1,15}(?:\.\d+)?$/.test(given.timestamp);
  const timestamp = isText ? Number(given.timestamp) : given.timestamp;
  const times = TIMES.filter((key) => key in given).map((key) => [key, toSeconds(given[key])]);
  return {
    ...given,
    ...Object.fromEntries(times),
    ...(typeof timestamp === 'number' && { timestamp: timestamp > MILLISECONDS_FROM ? timestamp / 1000 : timestamp }),
  };
}

/** Whole seconds of a number with a fraction, or of a time such as `1:02:03`. Anything else stays unchanged. */
function toSeconds(value: unknown): unknown {
  if (typeof value === 'string' && value.includes(':')) {
    try {
      return parsePosition(value);
    } catch {
      return value;
    }
  }
  const seconds = typeof value === 'string' && /^\d+\.\d+$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 ? Math.floor(seconds) : value;
}

function hasTime({ timestamp }: JsonObject): boolean {
  try {
    parseTimestamp(timestamp);
    return true;
  } catch {
    return false;
  }
}

function findProblem(action: JsonObject): string | undefined {
  try {
    const rules = { source: 'server', now: 0, keepCredentials: true, rewrites: createRewriteLog() } as const;
    const parsed = parseAction(action, rules);
    return parsed ? undefined : 'its addresses are invalid: they must be ASCII and begin with http:// or https://';
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const describe = ({ episode, podcast }: JsonObject): string =>
  redactUrl(
    ([episode, podcast].find((each) => typeof each === 'string' && each !== '') as string | undefined) ?? 'nothing',
  );
