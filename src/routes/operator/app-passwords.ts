import { Refusal } from '../../domain/errors.ts';
import { formatUtc } from '../../domain/timestamp.ts';
import { readObject } from '../../http/body.ts';
import { readParam, toStringFields } from '../../http/input.ts';
import { EMPTY, json } from '../../http/reply.ts';
import type { OwnAppPassword } from '../../services/accounts/app-passwords.ts';
import type { Services } from '../../services/services.ts';
import type { Handler, RouteContext } from '../route.ts';

/** An app password in `list`. Times are in UTC, as `2026-01-31T12:00:00Z`; null: unknown. */
export interface ListedAppPassword {
  id: string;
  label: string;
  app: string | null;
  created: string;
  lastUsed: string | null;
  address: string | null;
}

/** The app passwords of an account. */
export function createAppPasswordRoutes(
  { administration, appPasswords }: Pick<Services, 'administration' | 'appPasswords'>,
  { bodyOptions }: RouteContext,
): Record<'list' | 'add' | 'revoke', Handler> {
  return {
    async list(event) {
      const user = await administration.find(readParam(event, 'user'));
      return json((await appPasswords.all(user.id)).map(toListedAppPassword));
    },

    async add(event) {
      const { label } = toStringFields(await readObject(event, bodyOptions('operator')), 'label');
      const user = await administration.find(readParam(event, 'user'));
      return json({ password: await appPasswords.create(user.id, label) });
    },

    async revoke(event) {
      const user = await administration.find(readParam(event, 'user'));
      const isRevoked = await appPasswords.revoke(user.id, readParam(event, 'id'));
      if (!isRevoked) throw new Refusal('missing', 'the account has no app password with this id');
      return EMPTY;
    },
  };
}

export const toListedAppPassword = ({
  id,
  label,
  app,
  createdAt,
  usedAt,
  address,
}: OwnAppPassword): ListedAppPassword => ({
  id,
  label,
  app: app || null,
  created: formatUtc(createdAt),
  lastUsed: usedAt === undefined ? null : formatUtc(usedAt),
  address: address || null,
});
