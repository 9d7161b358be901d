import { describe, expect, it } from 'vitest';
import { parseStorageSpec, redactLocation } from '../../src/storage/location.ts';

describe('parsing of --storage', () => {
  it.each([
    // names
    ['json', 'name', 'json', ''],
    ['json:', 'name', 'json', ''],
    ['json:./folder', 'name', 'json', './folder'],
    ['sqlite:/var/lib/podsync.db', 'name', 'sqlite', '/var/lib/podsync.db'],
    ['sqlite:C:\\podsync.db', 'name', 'sqlite', 'C:\\podsync.db'],
    ['redis://host:6379/0', 'name', 'redis', '//host:6379/0'],
    ['postgres:host=db', 'name', 'postgres', 'host=db'],
    ['constructor', 'name', 'constructor', ''],
    ['', 'name', '', ''],
    // PostgreSQL URLs
    ['postgres://user:pw@host:5432/db', 'name', 'postgres', 'postgres://user:pw@host:5432/db'],
    ['postgresql://host/db?sslmode=require', 'name', 'postgres', 'postgresql://host/db?sslmode=require'],
    // packages
    ['podsync-storage-x', 'package', 'podsync-storage-x', ''],
    ['podsync-storage-x:a:b', 'package', 'podsync-storage-x', 'a:b'],
    ['@scope/pkg', 'package', '@scope/pkg', ''],
    ['@scope/pkg:redis://host:1', 'package', '@scope/pkg', 'redis://host:1'],
    // files
    ['./plugin.js', 'file', './plugin.js', ''],
    ['./plugin.js:a:b', 'file', './plugin.js', 'a:b'],
    ['../plugin.js:', 'file', '../plugin.js', ''],
    ['/opt/plugin.js:file:x', 'file', '/opt/plugin.js', 'file:x'],
    ['.\\plugin.js:x', 'file', '.\\plugin.js', 'x'],
    ['file:///opt/plugin.js', 'file', 'file:///opt/plugin.js', ''],
    ['file:///opt/a%3Ab.js:x:y', 'file', 'file:///opt/a%3Ab.js', 'x:y'],
    ['file:./plugin.js:x', 'file', 'file:./plugin.js', 'x'],
    ['file:///C:/plugin.js:x', 'file', 'file:///C:/plugin.js', 'x'],
    ['C:\\plugin.js:D:\\data', 'file', 'C:\\plugin.js', 'D:\\data'],
    ['C:/plugin.js', 'file', 'C:/plugin.js', ''],
  ] as const)('%s', (spec, kind, plugin, location) => {
    expect(parseStorageSpec(spec)).toEqual({ kind, plugin, location });
  });
});

describe('a redacted location', () => {
  it.each([
    ['postgres://bob:hunter2@db.example:5432/pods', 'postgres://bob:***@db.example:5432/pods'],
    ['postgres://bob:hunt%40er2@db/pods?a=1', 'postgres://bob:***@db/pods?a=1'],
    ['postgres://bob:hun@te/r2@db/pods', 'postgres://bob:***@db/pods'],
    ['postgres://bob:hun t@r 2@db/pods', 'postgres://bob:***@db/pods'],
    ['postgres://bob:hu@n ter2@db/pods', 'postgres://bob:***@db/pods'],
    ['from redis://a:one@db to redis://b:two@db/1', 'from redis://a:***@db to redis://b:***@db/1'],
    ['postgres://:hunter2@db/pods', 'postgres://:***@db/pods'],
    ['postgres://db/pods?user=bob&password=hunter2&ssl=1', 'postgres://db/pods?user=bob&password=***&ssl=1'],
    ['libsql://db?authToken=hunter2', 'libsql://db?authToken=***'],
    ["host=db password='hun ter2' user=bob", 'host=db password=*** user=bob'],
    ['host=db PASSWORD = hunter2 user=bob', 'host=db PASSWORD = *** user=bob'],
    ['mysql:bob:hunter2@tcp(db)/pods', 'mysql:bob:***@tcp(db)/pods'],
    ['cannot reach "mysql://bob:hunter2@db" now', 'cannot reach "mysql://bob:***@db" now'],
  ])('%s', (text, redacted) => {
    expect(redactLocation(text)).toBe(redacted);
  });

  it.each([
    'json:./folder',
    'sqlite:/var/lib/podsync.db?mode=ro',
    'postgres://bob@db.example:5432/pods',
    'C:\\pods\\node_modules\\@scope\\plugin\\index.js',
    'file:///C:/pods/node_modules/.pnpm/driver@1.0.0/index.js',
    '/srv/node_modules/@scope/plugin/index.js',
  ])('is left as it is without a password: %s', (text) => {
    expect(redactLocation(text)).toBe(text);
  });
});
