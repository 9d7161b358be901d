import type { H3Event } from 'h3';
import { invalid } from '../domain/errors.ts';
import { readJson, readObject } from '../http/body.ts';
import { readApp, readSince } from '../http/input.ts';
import { json, jsonStream } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { User } from '../storage/stores.ts';
import type { Handler, RouteContext } from './route.ts';
import { toNextcloudAction, writeActions } from './wire-objects.ts';

type NextcloudServices = Pick<Services, 'devices' | 'episodes' | 'refusals' | 'servedMarks' | 'subscriptions'>;

/** Apps that log in with the password of the account. */
const OWN_PASSWORD = { id: 'nextcloud', caption: 'Nextcloud apps' };

/**
 * The interface of the Nextcloud app `gpoddersync`. Its clients know no devices: each app password is one, which follows
 * all others. They resend a refused batch for ever, so what is wrong in it is left out, and noted for the owner.
 */
export function createNextcloudRoutes(
  { devices, episodes, refusals, servedMarks, subscriptions }: NextcloudServices,
  { identity, reading }: RouteContext,
): Record<'changes' | 'change' | 'actions' | 'act', Handler> {
  /** The device that an app is, which is created where it is new. */
  const open = async (event: H3Event): Promise<{ user: User; device: string }> => {
    const { user, appPassword } = await identity.login(event, 'latin1');
    const { id, caption } = appPassword ? { id: appPassword.device, caption: appPassword.label } : OWN_PASSWORD;
    await devices.follow(user.id, id, caption);
    return { user, device: id };
  };

  const close = async (event: H3Event, { user, device }: { user: User; device: string }, reasons: string[] = []) => {
    const app = readApp(event);
    await devices.touch(user.id, device, app, 'nextcloud');
    await refusals.note(user.id, { device, app, dialect: 'nextcloud' }, reasons);
  };

  return {
    async changes(event) {
      const opened = await open(event);
      const { user, device } = opened;
      const query = (since: number) => subscriptions.changes(user.id, device, since);
      const { add, remove, mark } = await servedMarks.serve(
        { user: user.id, id: device },
        'subscriptions',
        readSince(event),
        query,
      );
      await close(event, opened);
      return json({ add, remove, timestamp: mark });
    },

    async change(event) {
      const opened = await open(event);
      const { user, device } = opened;
      const body = await readObject(event, reading(user.id));
      const reasons: string[] = [];
      const refuse = (reason: string): void => void reasons.push(reason);
      const delta = { add: toUrls(body.add, 'add', refuse), remove: toUrls(body.remove, 'remove', refuse) };
      const { mark } = await subscriptions.upload(user.id, device, delta, 'device', refuse);
      await close(event, opened, reasons);
      return json({ timestamp: mark });
    },

    async actions(event) {
      const opened = await open(event);
      const { user, device } = opened;
      const query = (since: number) => episodes.query(user.id, { since });
      const { pages, mark } = await servedMarks.serve(
        { user: user.id, id: device },
        'actions',
        readSince(event),
        query,
      );
      await close(event, opened);
      return jsonStream(writeActions(pages, mark, toNextcloudAction));
    },

    async act(event) {
      const opened = await open(event);
      const { user, device } = opened;
      const body = await readJson(event, reading(user.id));
      if (!Array.isArray(body)) throw invalid('the request body must be a JSON array of episode actions');
      const reasons: string[] = [];
      const { mark } = await episodes.upload(user.id, body, 2, { device, refuse: (reason) => reasons.push(reason) });
      await close(event, opened, reasons);
      return json({ timestamp: mark });
    },
  };
}

/** The strings of an array; the others are refused. Missing or null is an empty array. Throws `invalid` for anything else. */
function toUrls(value: unknown, name: string, refuse: (reason: string) => void): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`"${name}" must be an array of strings`);
  const wrong = value.findIndex((item) => typeof item !== 'string');
  if (wrong !== -1) refuse(`"${name}": item ${wrong} is not a string`);
  return value.filter((item) => typeof item === 'string');
}
