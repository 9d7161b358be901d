import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commandLine, programName, quote } from '../../src/cli/invocation.ts';

it.each([
  ['/usr/local/bin/podsync', {}, 'podsync'],
  ['/srv/app/node_modules/.bin/podsync', { npm_lifecycle_event: 'npx' }, 'npx podsync'],
  ['/srv/podsync.mjs', {}, 'node /srv/podsync.mjs'],
  ['/my files/podsync.js', {}, "node '/my files/podsync.js'"],
])('if started as %s %j, messages call it %s', (script, env, expected) => {
  expect(programName(script, env)).toBe(expected);
});

it.each(['plain/path-1.0', '', 'two words', "it's", '$HOME `id` "x" \\ *'])('quotes %j for a shell', (argument) => {
  expect(execFileSync('sh', ['-c', `printf %s ${quote(argument)}`], { encoding: 'utf8' })).toBe(argument);
});

it.each([
  ['json', ''],
  ['sqlite:podsync.db', ' --storage sqlite:podsync.db'],
  ['postgres://me:secret@db/podsync', " --storage 'postgres://me:***@db/podsync'"],
])('a suggested command has the data folder, and the storage %s without its password', (storage, place) => {
  const line = commandLine('user add NAME', { data: '/srv/my data', storage });
  expect(line).toBe(`${programName()} user add NAME --data '/srv/my data'${place}`);
});
