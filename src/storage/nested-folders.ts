import { relative, sep } from 'node:path';
import { FOLDERS } from '../../plugins/json/layout.ts';

/** Whether one of two JSON storages is in a folder in which all files belong to the other. Takes absolute paths. */
export const areNested = (one: string, other: string): boolean =>
  [relative(one, other), relative(other, one)].some((path) => FOLDERS.includes(path.split(sep)[0]!));
