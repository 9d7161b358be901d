import { randomInt } from 'node:crypto';

/** Without characters that look alike in some typefaces. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A random secret that is easy to type on a phone: groups of five letters or digits, nearly 25 bits each. */
export const createGroupedSecret = (groups: number): string => Array.from({ length: groups }, createGroup).join('-');

const createGroup = (): string => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
