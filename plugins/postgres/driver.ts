import type postgres from 'postgres';
import { StorageError } from '../../src/plugin.ts';

export type Driver = typeof postgres;

/** postgres.js, an optional dependency. Rejects with `unavailable` if it is not installed. */
export async function loadDriver(load: () => Promise<{ default: Driver }> = () => import('postgres')): Promise<Driver> {
  try {
    return (await load()).default;
  } catch (error) {
    throw new StorageError(
      'unavailable',
      'the PostgreSQL storage needs the package postgres; install it next to podsync: npm install postgres@3.4.9',
      { cause: error },
    );
  }
}
