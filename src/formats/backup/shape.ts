/** How a value must look. */
interface Shape<T> {
  /** The value, its keys in the order of the shape. Throws `Misshapen`, which calls the value `where`. */
  read(value: unknown, where: string): T;
  /** Whether an object may lack it. */
  isOptional?: boolean;
}

/** A value that does not look as it must. The message says where, and what it must be. */
export class Misshapen extends Error {}

const plain = <T>(isOne: (value: unknown) => boolean, words: string): Shape<T> => ({
  read(value, where) {
    if (!isOne(value)) throw new Misshapen(`${where} must be ${words}`);
    return value as T;
  },
});

/** The shapes that records are put together from. */
export const text = plain<string>((value) => typeof value === 'string', 'a string');
export const whole = plain<number>(Number.isSafeInteger, 'a whole number');
export const flag = plain<boolean>((value) => typeof value === 'boolean', 'true or false');
/** Whatever JSON can say. */
export const anything = plain<never>((value) => value !== undefined, 'there');

export const oneOf = <T extends string>(...values: readonly T[]): Shape<T> =>
  plain((value) => values.includes(value as T), values.join(', '));

/** A field that may be missing. */
export const optional = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, isOptional: true });

export const orNull = <T>(shape: Shape<T>): Shape<T | null> => ({
  read: (value, where) => (value === null ? null : shape.read(value, where)),
});

export const array = <T>(shape: Shape<T>): Shape<T[]> => ({
  read: (value, where) => readArray(value, where).map((item, index) => shape.read(item, `${where}[${index}]`)),
});

export const pair = <First, Second>(first: Shape<First>, second: Shape<Second>): Shape<[First, Second]> => ({
  read(value, where) {
    const items = readArray(value, where);
    if (items.length !== 2) throw new Misshapen(`${where} must be a pair`);
    return [first.read(items[0], `${where}[0]`), second.read(items[1], `${where}[1]`)];
  },
});

/** Unknown keys are refused, as they would be lost. */
export const object = <T extends object>(fields: {
  readonly [Key in keyof T]-?: Shape<Required<T>[Key]>;
}): Shape<T> => {
  const known = Object.entries<Shape<unknown>>(fields);
  return {
    read(value, where) {
      const given = readObject(value, where);
      const unknown = Object.keys(given).find((key) => !Object.hasOwn(fields, key));
      if (unknown !== undefined) throw new Misshapen(`${where} has a part that this podsync does not know`);
      const made: Record<string, unknown> = {};
      for (const [key, shape] of known) {
        const part = given[key];
        if (part !== undefined || !shape.isOptional) made[key] = shape.read(part, `${where}.${key}`);
      }
      return made as T;
    },
  };
};

/** Objects of several kinds, told apart by their key `kind`. */
export const byKind = <T extends { kind: string }>(shapes: {
  readonly [Kind in T['kind']]: Shape<Extract<T, { kind: Kind }>>;
}): Shape<T> => ({
  read(value, where) {
    const kind = readObject(value, where).kind as T['kind'];
    if (!Object.hasOwn(shapes, kind)) throw new Misshapen(`${where} is of a kind that this podsync does not know`);
    return shapes[kind].read(value, where);
  },
});

function readArray(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new Misshapen(`${where} must be an array`);
  return value;
}

function readObject(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Misshapen(`${where} must be an object`);
  return value as Record<string, unknown>;
}
