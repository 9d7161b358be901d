import { expect, it } from 'vitest';
import { isLoopback } from '../../src/domain/loopback.ts';

it.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['[::1]', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.5', false],
  ['127.example.org', false],
])('%s is only reachable from this machine: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
