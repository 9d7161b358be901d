import { crc32 } from 'node:zlib';
import { Misshapen } from './shape.ts';

/** A line: the value as JSON, with a checksum at its end, so that it shows by itself whether it was altered. */
export function writeLine(value: object): string {
  const json = JSON.stringify(value);
  return `${json.slice(0, -1)},"crc":"${checksum(json)}"}\n`;
}

const LINE = /^(.*),"crc":"([0-9a-f]{8})"\}$/s;

/** The value of a line, which comes without its end. Throws `Misshapen` for a line that was altered. */
export function parseLine(line: string): Record<string, unknown> {
  const [, before, crc] = LINE.exec(line) ?? [];
  const json = `${before}}`;
  if (crc === undefined || checksum(json) !== crc) throw new Misshapen('it is not as it was written');
  return JSON.parse(json) as Record<string, unknown>;
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0');
