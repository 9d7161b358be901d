import { type ConsolaReporter, LogLevels, type LogObject } from 'consola';
import type { Config } from '../../config.ts';
import type { PodsyncOptions } from '../../podsync.ts';
import type { LogFields } from '../../storage/stores.ts';
import { messages } from '../output.ts';

/**
 * From now on, messages are lines of a log: with the time on a terminal, elsewhere with date and time in UTC. Returns the
 * functions that podsync logs with. Messages with fields are events, such as failed logins and requests, and are logged at
 * every level.
 */
export function openServerLog({
  logLevel,
  logFormat,
  accessLog,
}: Pick<Config, 'logLevel' | 'logFormat' | 'accessLog'>): Pick<PodsyncOptions, 'log' | 'onRequest'> {
  messages.options.formatOptions.date = true;
  if (logFormat === 'json') messages.setReporters([toReporter(toJson)]);
  else if (!process.stderr.isTTY) messages.setReporters([toReporter(toText)]);
  // Without `throttle: 0`, consola would hold back repeated messages, and fail2ban would count too few of them.
  const events = messages.create({ level: LogLevels.info, throttle: 0 });
  messages.level = LogLevels[logLevel];
  const logEvent = (level: 'error' | 'warn' | 'info', message: string, fields: LogFields): void =>
    events[level]({ message, ...fields });
  return {
    log: (level, message, fields) => (fields ? logEvent(level, message, fields) : messages[level](message)),
    ...(accessLog && {
      onRequest({ method, path, status = null, duration, bytes, user = null, ip }) {
        const parts = [method, path, status ?? '-', duration, 'ms', bytes, 'bytes', user ?? '-', ip || '-'];
        logEvent('info', parts.join(' '), {
          event: 'request',
          method,
          path,
          status,
          ms: duration,
          bytes,
          user,
          ip: ip || null,
        });
      },
    }),
  };
}

const toReporter = (toLine: (entry: LogObject) => string): ConsolaReporter => ({
  log: (entry) => void process.stderr.write(`${toLine(entry)}\n`),
});

/** Continuation lines are indented, so that text from clients or feeds cannot imitate a line of the log. */
function toText({ date, type, args }: LogObject): string {
  const message = String(args[0])
    .replaceAll('\n', '\n  ')
    .replaceAll(/[^\P{Cc}\n]/gu, '\ufffd');
  return `${date.toISOString()} [${type}] ${message}`;
}

function toJson({ date, type, args, level: _level, tag: _tag, ...fields }: LogObject): string {
  const level = type === 'success' ? 'info' : type;
  return JSON.stringify({ time: date.toISOString(), level, message: String(args[0]), ...fields });
}
