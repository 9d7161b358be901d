/** Validates a value. */
interface Schema<T> {
  /** The value, its keys in the order of the schema. Throws `ValidationError`, which names the value `where`. */
  read(value: unknown, where: string): T;
  /** Whether the key may be missing in an object. */
  isOptional?: boolean;
}

/** An invalid value. The message says where it is, and what it must be. */
export class ValidationError extends Error {}

const primitive = <T>(isValid: (value: unknown) => boolean, description: string): Schema<T> => ({
  read(value, where) {
    if (!isValid(value)) throw new ValidationError(`${where} must be ${description}`);
    return value as T;
  },
});

export const string = primitive<string>((value) => typeof value === 'string', 'a string');
export const integer = primitive<number>(Number.isSafeInteger, 'a whole number');
export const boolean = primitive<boolean>((value) => typeof value === 'boolean', 'true or false');
/** Any JSON value. */
export const json = primitive<never>((value) => value !== undefined, 'present');

export const oneOf = <T extends string>(...values: readonly T[]): Schema<T> =>
  primitive((value) => values.includes(value as T), `one of ${values.join(', ')}`);

/** A key that may be missing. */
export const optional = <T>(schema: Schema<T>): Schema<T> => ({ ...schema, isOptional: true });

export const nullable = <T>(schema: Schema<T>): Schema<T | null> => ({
  read: (value, where) => (value === null ? null : schema.read(value, where)),
});

export const array = <T>(schema: Schema<T>): Schema<T[]> => ({
  read: (value, where) => readArray(value, where).map((item, index) => schema.read(item, `${where}[${index}]`)),
});

export const pair = <First, Second>(first: Schema<First>, second: Schema<Second>): Schema<[First, Second]> => ({
  read(value, where) {
    const items = readArray(value, where);
    if (items.length !== 2) throw new ValidationError(`${where} must be a pair`);
    return [first.read(items[0], `${where}[0]`), second.read(items[1], `${where}[1]`)];
  },
});

/** Refuses unknown keys, as they would be lost. */
export const object = <T extends object>(fields: {
  readonly [Key in keyof T]-?: Schema<Required<T>[Key]>;
}): Schema<T> => {
  const known = Object.entries<Schema<unknown>>(fields);
  return {
    read(value, where) {
      const given = readObject(value, where);
      const unknown = Object.keys(given).find((key) => !Object.hasOwn(fields, key));
      if (unknown !== undefined) throw new ValidationError(`${where} has a key that this podsync does not know`);
      const result: Record<string, unknown> = {};
      for (const [key, schema] of known) {
        const part = given[key];
        if (part !== undefined || !schema.isOptional) result[key] = schema.read(part, `${where}.${key}`);
      }
      return result as T;
    },
  };
};

/** A union of objects, discriminated by the key `kind`. */
export const byKind = <T extends { kind: string }>(schemas: {
  readonly [Kind in T['kind']]: Schema<Extract<T, { kind: Kind }>>;
}): Schema<T> => ({
  read(value, where) {
    const kind = readObject(value, where).kind as T['kind'];
    if (!Object.hasOwn(schemas, kind)) throw new ValidationError(`${where} has a kind that this podsync does not know`);
    return schemas[kind].read(value, where);
  },
});

function readArray(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new ValidationError(`${where} must be an array`);
  return value;
}

function readObject(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new ValidationError(`${where} must be an object`);
  return value as Record<string, unknown>;
}
