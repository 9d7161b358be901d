import type postgres from 'postgres';
import { StorageError } from '../../src/plugin.ts';

export type Driver = typeof postgres;

/** postgres.js, which only those who use it install. Rejects with `unavailable` when it is not there. */
export async function loadDriver(load: () => Promise<{ default: Driver }> = () => import('postgres')): Promise<Driver> {
  try {
    return (await load()).default;
  } catch (error) {
    throw new StorageError(
      'unavailable',
      'the PostgreSQL storage needs the package postgres; install it beside podsync: npm install postgres@3.4.9',
      { cause: error },
    );
  }
}
