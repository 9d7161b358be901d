import type { Command } from 'commander';
import { type ConfigOption, readConfig, SERVE_OPTIONS } from '../../config.ts';
import { redactLocation } from '../../storage/location.ts';
import { printResult, toTable } from '../output.ts';

/** A value of the configuration. */
interface Setting {
  name: string;
  /** As in a config file; null if it is not set. Passwords are redacted. */
  value: string | number | boolean | null;
  source: 'default' | 'file' | 'environment' | 'flag';
  /** The path of the file, or the variable; null for the other sources. */
  from: string | null;
}

/** `config`. Throws a UsageError as `serve` would. */
export function showConfig(command: Command, { json = false }): void {
  const { data } = readConfig(command.opts());
  const settings = SERVE_OPTIONS.map((option) => readSetting(command, option)).map((setting) =>
    setting.name === 'data' ? { ...setting, value: data } : setting,
  );
  printResult(settings, json, () =>
    toTable(
      settings.map(({ name, value, source, from }) => [name, value === null ? null : String(value), from ?? source]),
      ['OPTION', 'VALUE', 'SOURCE'],
    ),
  );
}

function readSetting(command: Command, option: ConfigOption): Setting {
  const attribute = option.attributeName();
  const value: unknown = command.getOptionValue(attribute);
  const written = value === undefined ? undefined : option.type.write?.(value);
  return {
    name: option.name(),
    value: option.type.isSecret && value !== undefined ? '***' : (written ?? toShown(option.negate ? !value : value)),
    ...toSource(command.getOptionValueSource(attribute), option.envVar!),
  };
}

const toShown = (value: unknown): Setting['value'] =>
  typeof value === 'string' ? redactLocation(value) : ((value as number | boolean | undefined) ?? null);

function toSource(source: string | undefined, variable: string): Pick<Setting, 'source' | 'from'> {
  switch (source) {
    case undefined:
    case 'default':
      return { source: 'default', from: null };
    case 'cli':
      return { source: 'flag', from: null };
    case 'env':
      return { source: 'environment', from: variable };
    default:
      return { source: 'file', from: source };
  }
}
