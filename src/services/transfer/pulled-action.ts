import { parseAction } from '../../domain/action.ts';
import { toDeviceId } from '../../domain/device.ts';
import { Refusal } from '../../domain/errors.ts';
import { parsePosition } from '../../domain/position.ts';
import { parseTimestamp } from '../../domain/timestamp.ts';
import { createRewriteLog, redactUrl } from '../../domain/url.ts';

/** An action that can be uploaded, with what was changed to make it so; or why it cannot. */
type Repaired = { action: Input; notes: string[] } | { what: string; reason: string };

type Input = Readonly<Record<string, unknown>>;

const TIMES = ['started', 'position', 'total'];

/** Keys that an action can do without: what is left out at each try. */
const OPTIONAL_KEYS = [
  [],
  ['started', 'total'],
  ['started', 'total', 'position'],
  ['started', 'total', 'position', 'guid'],
];

/**
 * An episode action of another server, as far as it makes sense. Without a usable time it gets the oldest that there is:
 * the same each time it is pulled, and no newer than any that is known.
 */
export function repairAction(value: unknown): Repaired {
  const given = withSeconds(toInput(value));
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

/** Beyond this a time is in milliseconds: in seconds it is the year 5138. */
const MILLISECONDS_FROM = 1e11;

/** All times in seconds, as far as they can be read. */
function withSeconds(given: Input): Input {
  const { timestamp } = given;
  const times = TIMES.filter((key) => key in given).map((key) => [key, toSeconds(given[key])]);
  return {
    ...given,
    ...Object.fromEntries(times),
    ...(typeof timestamp === 'number' && timestamp > MILLISECONDS_FROM && { timestamp: timestamp / 1000 }),
  };
}

/** Whole seconds of what may have a fraction, or be written as a clock shows it. Anything else stays as it is. */
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

const toInput = (value: unknown): Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : {};

function hasTime({ timestamp }: Input): boolean {
  try {
    parseTimestamp(timestamp);
    return true;
  } catch {
    return false;
  }
}

function findProblem(action: Input): string | undefined {
  try {
    const rules = { source: 'server', now: 0, keepCredentials: true, rewrites: createRewriteLog() } as const;
    const parsed = parseAction(action, rules);
    return parsed ? undefined : 'its addresses cannot be used: they must be ASCII and begin with http:// or https://';
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const describe = ({ episode, podcast }: Input): string =>
  redactUrl(
    ([episode, podcast].find((each) => typeof each === 'string' && each !== '') as string | undefined) ?? 'nothing',
  );
