import { expect, it } from 'vitest';
import { regroup } from '../../src/domain/group.ts';

it.each<[groups: string[][], join: string[][], leave: string[], result: string[][]]>([
  [[], [], [], []],
  [[], [['a', 'b']], [], [['a', 'b']]],
  [
    [],
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    [],
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [[['a', 'b']], [['b', 'c']], [], [['a', 'b', 'c']]],
  [
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    [['d', 'a']],
    [],
    [['a', 'b', 'c', 'd']],
  ],
  [
    [],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['b', 'c'],
    ],
    [],
    [['a', 'b', 'c', 'd']],
  ],
  [[], [['a', 'a']], [], []],
  [[['a', 'b', 'c']], [], ['b'], [['a', 'c']]],
  [[['a', 'b']], [], ['b'], []],
  [[['a', 'b']], [], ['x'], [['a', 'b']]],
  [[['a', 'b']], [['b', 'c']], ['a'], [['b', 'c']]],
  [
    [['a', 'b', 'x']],
    [['b', 'c']],
    ['b'],
    [
      ['a', 'x'],
      ['b', 'c'],
    ],
  ],
])('%j, joining %j, leaving %j: %j', (groups, join, leave, result) => {
  expect(regroup(groups, join, leave)).toEqual(result);
});
