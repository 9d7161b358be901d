import { invalid } from '../domain/errors.ts';
import { formatUtc } from '../domain/timestamp.ts';
import { readObject } from '../http/body.ts';
import { readParam } from '../http/input.ts';
import { EMPTY, json } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { User } from '../storage/contract.ts';
import type { Handler, RouteContext } from './route.ts';

/** The accounts, for whoever runs the server. */
export function createAccountRoutes(
  { accounts, administration }: Services,
  { maxBody }: RouteContext,
): Record<'list' | 'add' | 'show' | 'remove' | 'rename' | 'setPassword' | 'sessions' | 'endSessions', Handler> {
  return {
    async list() {
      const all = [];
      for await (const { user, ...counts } of administration.list()) all.push({ ...describe(user), ...counts });
      return json(all);
    },

    async add(event) {
      const { name, email, password } = await readObject(event, maxBody);
      if (typeof name !== 'string' || typeof password !== 'string')
        throw invalid('"name" and "password" must be strings');
      if (email !== undefined && typeof email !== 'string') throw invalid('"email" must be a string');
      const user = await accounts.create({ name, password, ...(email !== undefined && { email }) });
      return json({ name: user.name, email: user.email });
    },

    async show(event) {
      const { user, ...rest } = await administration.show(readParam(event, 'user'));
      return json({ ...describe(user), ...rest });
    },

    async remove(event) {
      await administration.remove(readParam(event, 'user'));
      return EMPTY;
    },

    async rename(event) {
      const { name } = await readObject(event, maxBody);
      if (typeof name !== 'string') throw invalid('"name" must be a string');
      await administration.rename(readParam(event, 'user'), name);
      return EMPTY;
    },

    async setPassword(event) {
      const { password } = await readObject(event, maxBody);
      if (typeof password !== 'string') throw invalid('"password" must be a string');
      await administration.setPassword(readParam(event, 'user'), password);
      return EMPTY;
    },

    async sessions(event) {
      const open = await administration.sessions(readParam(event, 'user'));
      return json(open.map(({ usedAt, expiresAt }) => ({ used: formatUtc(usedAt), expires: formatUtc(expiresAt) })));
    },

    async endSessions(event) {
      return json({ ended: await administration.endSessions(readParam(event, 'user')) });
    },
  };
}

const describe = ({ name, email, createdAt }: User): Record<string, unknown> => ({
  name,
  email: email ?? null,
  created: formatUtc(createdAt),
});
