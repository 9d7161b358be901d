import { BlockList, isIP } from 'node:net';
import { HIGHEST_MAX_BODY } from './body-limits.ts';

/** A type of option value: `read` returns undefined for invalid text; `description` says what the value must be. */
export interface ValueType<Value> {
  read(text: string): Value | undefined;
  /** The text of a value, if it is written with a unit. */
  write?(value: Value): string;
  description: string;
  /** What it may be in a config file besides a string. */
  json?: 'number' | 'boolean';
  /** Whether it is a path, which in a config file starts from the folder of the file. */
  isPath?: boolean;
  isSecret?: boolean;
}

export const wholeNumber = (max: number, min = 0): ValueType<number> => ({
  read: (text) => (/^\d+$/.test(text) && Number(text) <= max && Number(text) >= min ? Number(text) : undefined),
  description: `a whole number from ${min} to ${max}`,
  json: 'number',
});

export const text: ValueType<string> = { read: (given) => given || undefined, description: 'a non-empty string' };

// Shells do not expand `~` after `=`, nor does systemd: podsync would create a folder named `~`.
export const folder: ValueType<string> = {
  read: (given) => (/^~(?:\/|$)/.test(given) ? undefined : given || undefined),
  description: 'a folder; write the full path of the home folder instead of ~',
  isPath: true,
};

export const file: ValueType<string> = { ...text, isPath: true };

// What listhen accepts; for any other host, it would silently listen on a host of its own choice.
export const host: ValueType<string> = {
  read: (given) => (/^(?!-)[\d.:A-Za-z-]{1,63}(?<!-)$/.test(given) ? given : undefined),
  description: 'an IP address or a host name',
};

type Units = Readonly<Record<string, number>>;

/** With the largest unit that leaves it a whole number. `units`: the smallest first. */
function withUnit(value: number, units: Units): string {
  const [unit, size] = Object.entries(units).findLast(([, each]) => value % each === 0)!;
  return `${value / size}${unit}`;
}

const SIZES: Units = { '': 1, KiB: 1024, MiB: 1024 ** 2 };

export const bytes: ValueType<number> = {
  read(given) {
    const [, digits = '', unit = ''] = /^(\d+)(?:([km])(?:ib)?)?$/i.exec(given) ?? [];
    const size = Number(digits) * SIZES[unit && `${unit.toUpperCase()}iB`]!;
    return size >= 1 && size <= HIGHEST_MAX_BODY ? size : undefined;
  },
  write: (size) => withUnit(size, SIZES),
  description: 'a number of bytes such as 16777216, 16384K or 16MiB, at most 256MiB',
  json: 'number',
};

const PERIODS: Units = { m: 60, h: 3600, d: 86_400 };
const MAX_PERIOD = 366 * 86_400;

export const period: ValueType<number> = {
  read(given) {
    const [, digits = '', unit = ''] = /^(\d+)([mhd])$/i.exec(given) ?? [];
    const seconds = Number(digits) * PERIODS[unit.toLowerCase()]!;
    return seconds > 0 && seconds <= MAX_PERIOD ? seconds : undefined;
  },
  write: (seconds) => withUnit(seconds, PERIODS),
  description: 'a time such as 24h, 90m or 7d, at most 366d',
};

/** The address of a server; a trailing slash is removed. */
export const webAddress: ValueType<string> = {
  read(given) {
    if (!URL.canParse(given) || /[?#]/.test(given)) return undefined;
    const { protocol, username, password, origin, pathname } = new URL(given);
    if (!/^https?:$/.test(protocol) || username || password) return undefined;
    return origin + pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  },
  description: 'an http or https address such as https://example.org/podsync, without user, query or fragment',
};

export const oneOf = <Word extends string>(...words: Word[]): ValueType<Word> => ({
  read: (given) => words.find((word) => word === given),
  description: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
});

const YES_OR_NO = new Map(Object.entries({ true: true, '1': true, yes: true, false: false, '0': false, no: false }));

// With an optional value, so that its variable can be `false`: for a plain switch, commander treats any value as true.
export const yesOrNo: ValueType<boolean> = {
  read: (given) => YES_OR_NO.get(given.toLowerCase()),
  description: 'true or false',
  json: 'boolean',
};

// `--no-X` sets X to the opposite.
export const not = (type: ValueType<boolean>): ValueType<boolean> => ({
  ...type,
  read(given) {
    const value = type.read(given);
    return value === undefined ? undefined : !value;
  },
});

export const token: ValueType<string> = {
  read: (given) => (/^[!-~]+$/.test(given) ? given : undefined),
  description: 'ASCII characters without spaces',
  isSecret: true,
};

export const networkList: ValueType<string> = {
  read: (given) => (readNetworks(given) ? given : undefined),
  description: 'IP addresses or networks such as 10.0.0.0/8, separated by commas',
};

/** Tells whether an address is in one of the networks; undefined if the text is not a list of networks. */
export function readNetworks(text: string): ((ip: string) => boolean) | undefined {
  // Not one list for both: in it, `::/0` would contain all IPv4 addresses, too.
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const each of text.split(',')) {
    const [, address = '', digits] = /^([\d.:a-f]+)(?:\/(\d{1,3}))?$/i.exec(each.trim()) ?? [];
    if (isIP(address) === 0) return undefined;
    const version = versionOf(address);
    const longest = version === 'ipv4' ? 32 : 128;
    const prefix = digits === undefined ? longest : Number(digits);
    if (prefix > longest) return undefined;
    networks[version].addSubnet(address, prefix, version);
    if (prefix >= 96) networks.ipv4.addSubnet(address, prefix, 'ipv6'); // may be IPv4, as `::ffff:10.0.0.1`
  }
  return (ip) => networks[versionOf(ip)].check(ip, versionOf(ip));
}

const versionOf = (ip: string): 'ipv4' | 'ipv6' => (ip.includes(':') ? 'ipv6' : 'ipv4');
