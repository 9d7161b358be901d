import type { H3Event } from 'h3';
import { invalid } from '../domain/errors.ts';
import type { UserId } from '../domain/types.ts';
import { readArray, readObject } from '../http/body.ts';
import { isPull, readApp, readSince, toStringArray } from '../http/input.ts';
import { json, jsonStream, type Reply } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import { isRecorded } from '../services/sync/refusals.ts';
import type { Handler, RouteContext } from './route.ts';
import { toNextcloudAction, writeActions } from './wire-objects.ts';

type NextcloudServices = Pick<Services, 'devices' | 'episodes' | 'refusals' | 'servedMarks' | 'subscriptions'>;

/** The device of apps that log in with the account's own password, and its caption. */
const OWN_PASSWORD = { device: 'nextcloud', label: 'Nextcloud apps' };

/** A batch with more invalid items is refused as a whole: no app sends one, and it would keep the server busy. */
const MAX_REFUSED = 10_000;

/** The app that sends a request. */
interface AppClient {
  user: UserId;
  device: string;
  /** Records what is wrong with a part of a batch, which is then skipped. */
  refuse(reason: string): void;
}

/**
 * The interface of the Nextcloud app `gpoddersync`. It has no devices: each app password becomes one that follows all
 * others. Its clients resend a refused batch for ever, so invalid parts are skipped and recorded for the owner.
 */
export function createNextcloudRoutes(
  { devices, episodes, refusals, servedMarks, subscriptions }: NextcloudServices,
  { identity, bodyOptions }: RouteContext,
): Record<'subscriptions' | 'uploadSubscriptions' | 'actions' | 'uploadActions', Handler> {
  /** Registers the app's device if it is new, and records what was refused. */
  const forApp =
    (work: (event: H3Event, client: AppClient) => Promise<Reply>): Handler =>
    async (event) => {
      const { user, appPassword } = await identity.login(event);
      const { device, label } = appPassword ?? OWN_PASSWORD;
      await devices.follow(user.id, device, label);
      const reasons: string[] = [];
      const refuse = (reason: string): void => {
        if (reasons.length >= MAX_REFUSED) throw invalid(reason);
        reasons.push(reason);
      };
      const app = readApp(event);
      try {
        const reply = await work(event, { user: user.id, device, refuse });
        await devices.touch(user.id, device, app, 'nextcloud');
        return reply;
      } catch (error) {
        if (isRecorded(error)) reasons.push(error.message);
        throw error;
      } finally {
        await refusals.record(user.id, { device, app, dialect: 'nextcloud' }, reasons);
      }
    };

  return {
    subscriptions: forApp(async (event, client) => {
      const { add, remove, mark } = await servedMarks.serve(client, 'subscriptions', readSince(event), (since) =>
        subscriptions.changes(client.user, client.device, since),
      );
      return json({ add, remove, timestamp: mark });
    }),

    uploadSubscriptions: forApp(async (event, { user, device, refuse }) => {
      const body = await readObject(event, bodyOptions(user));
      const [add, remove] = [toStringArray(body.add, 'add', refuse), toStringArray(body.remove, 'remove', refuse)];
      const { mark } = await subscriptions.upload(user, device, { add, remove }, { refuse });
      return json({ timestamp: mark });
    }),

    actions: forApp(async (event, client) => {
      const { pages, mark } = await servedMarks.serve(client, 'actions', readSince(event), (since) =>
        episodes.query(client.user, { since, asStored: isPull(event) }),
      );
      return jsonStream(writeActions(pages, mark, toNextcloudAction));
    }),

    uploadActions: forApp(async (event, { user, device, refuse }) => {
      const actions = await readArray(event, bodyOptions(user), 'episode actions');
      const { mark } = await episodes.upload(user, actions, 'nextcloud', { device, refuse });
      return json({ timestamp: mark });
    }),
  };
}
