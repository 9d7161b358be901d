import type { Seconds, User, UserId } from '../../../src/old-plugin.ts';

export interface UserRow {
  id: string;
  name: string;
  email: string | null;
  password_hash: string;
  created_at: Seconds;
}

/** The columns of a UserRow. */
export const USER = 'CAST(users.id AS TEXT) AS id, name, email, password_hash, created_at';

export const toUser = ({ id, name, email, password_hash, created_at }: UserRow): User => ({
  id: id as UserId,
  name,
  ...(email !== null && { email }),
  passwordHash: password_hash,
  createdAt: created_at,
});
