import { compare, hash } from 'bcryptjs';
import { createThread, serveThread } from '../thread.ts';

/** bcrypt, which is slow on purpose. */
export interface Hasher {
  hash(password: string): Promise<string>;
  compare(password: string, hash: string): Promise<boolean>;
  close(): Promise<void>;
}

const COST = 10;
/** A hash of no known password, at the same cost: a login that nobody has then takes as long as any other. */
export const DUMMY = '$2b$10$DXxK8OcSQWsIfoh4gDbmVe5w0iq1q680m0l.wZUOAh0Kv5V/XkXZa';
const ROLE = 'podsync-hasher';

/** `known` undefined: make a hash. */
interface Job {
  password: string;
  known?: string;
}

/** Hashes in a thread of its own, as one hash would hold up every request for some 70 ms. */
export function createThreadHasher(): Hasher {
  const thread = createThread<Job, string | boolean>(import.meta.url, ROLE);
  return {
    hash: async (password) => (await thread.run({ password })) as string,
    compare: async (password, known) => (await thread.run({ password, known })) as boolean,
    close: () => thread.close(),
  };
}

serveThread<Job, string | boolean>(ROLE, ({ password, known }) =>
  known === undefined ? hash(password, COST) : compare(password, known),
);
