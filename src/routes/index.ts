import type { Services } from '../services/services.ts';
import { createClientConfigRoute } from './client-config.ts';
import { createDeviceRoutes } from './devices.ts';
import { createDirectoryGuard } from './directory-guard.ts';
import { createDirectoryRoutes } from './directory.ts';
import { createEpisodeRoutes } from './episodes.ts';
import { createHealthRoute } from './health.ts';
import { createLegacyRoutes } from './legacy.ts';
import { createListRoutes } from './lists.ts';
import { createLoginFlowRoutes, POLL_PATH } from './login-flow.ts';
import { createLogoRoute } from './logos.ts';
import { createNextcloudRoutes } from './nextcloud.ts';
import { createOcsRoutes } from './ocs.ts';
import { createRefusalRecorder } from './refusal-recorder.ts';
import type { Route, RouteContext } from './route.ts';
import { createSessionRoutes } from './sessions.ts';
import { createSettingRoutes } from './settings.ts';
import { createSiteRoutes } from './site/index.ts';
import { createStatisticsRoute } from './statistics.ts';
import { createSubscriptionRoutes } from './subscriptions.ts';
import { createUpdateRoute } from './updates.ts';

const JSON_ONLY = ['json'];
const LISTS = ['json', 'jsonp', 'txt', 'opml'];
const TOPLIST = [...LISTS, 'xml'];
const UPLOADS = ['json', 'txt', 'opml'];

/**
 * The routes for the network: the interface of apps, and the website. `app.ts` adds the operator's routes, where they are
 * allowed, and `/metrics`.
 */
export function createRoutes(services: Services, context: RouteContext): Route[] {
  const sessions = createSessionRoutes(context);
  const recordRefusals = createRefusalRecorder(services, context);
  const subscriptions = recordRefusals(createSubscriptionRoutes(services, context));
  const devices = recordRefusals(createDeviceRoutes(services, context));
  const episodes = recordRefusals(createEpisodeRoutes(services, context, 2));
  const episodes1 = recordRefusals(createEpisodeRoutes(services, context, 1));
  const settings = recordRefusals(createSettingRoutes(services, context));
  const lists = createListRoutes(services, context);
  const directory = createDirectoryRoutes(services, context);
  const nextcloud = createNextcloudRoutes(services, context);
  const loginFlow = createLoginFlowRoutes(services, context);
  const ocs = createOcsRoutes(services, context);
  const legacy = createLegacyRoutes(services, context);

  const guarded = createDirectoryGuard(context);

  return [
    ['POST', '/api/2/auth/:user/login', JSON_ONLY, sessions.login, false], // it opens no session for another website
    ['POST', '/api/2/auth/:user/logout', JSON_ONLY, sessions.logout],

    ['GET', '/subscriptions/:user', LISTS, subscriptions.all],
    ['GET', '/subscriptions/:user/:device', LISTS, subscriptions.list],
    ['PUT', '/subscriptions/:user/:device', UPLOADS, subscriptions.replace],
    ['POST', '/subscriptions/:user/:device', UPLOADS, subscriptions.replace], // as old clients do
    ['GET', '/api/2/subscriptions/:user/:device', JSON_ONLY, subscriptions.changes],
    ['POST', '/api/2/subscriptions/:user/:device', JSON_ONLY, subscriptions.upload],

    ['GET', '/api/2/devices/:user', JSON_ONLY, devices.all],
    ['POST', '/api/2/devices/:user/:device', JSON_ONLY, devices.save],
    ['PUT', '/api/2/devices/:user/:device', JSON_ONLY, devices.save], // as old clients do

    ['GET', '/api/2/sync-devices/:user', JSON_ONLY, devices.following],
    ['POST', '/api/2/sync-devices/:user', JSON_ONLY, devices.synchronize],

    ['GET', '/api/2/episodes/:user', JSON_ONLY, episodes.query],
    ['POST', '/api/2/episodes/:user', JSON_ONLY, episodes.upload],

    ['GET', '/api/2/settings/:user/:scope', JSON_ONLY, settings.get],
    ['POST', '/api/2/settings/:user/:scope', JSON_ONLY, settings.update],
    ['GET', '/api/2/favorites/:user', JSON_ONLY, settings.favorites],

    ['POST', '/api/2/lists/:user/create', UPLOADS, lists.create],
    ['GET', '/api/2/lists/:user', JSON_ONLY, lists.all],
    ['GET', '/api/2/lists/:user/list/:name', LISTS, lists.read],
    ['PUT', '/api/2/lists/:user/list/:name', UPLOADS, lists.replace],
    ['DELETE', '/api/2/lists/:user/list/:name', LISTS, lists.delete],

    ['GET', '/api/2/tags/:count', JSON_ONLY, guarded(directory.tags)],
    ['GET', '/api/2/tag/:tag/:count', JSON_ONLY, guarded(directory.tag)],
    ['GET', '/api/2/data/podcast', JSON_ONLY, guarded(directory.podcast)],
    ['GET', '/api/2/data/episode', JSON_ONLY, guarded(directory.episode)],
    ['GET', '/toplist/:number', TOPLIST, guarded(directory.toplist)],
    ['GET', '/search', LISTS, guarded(directory.search)],
    ['GET', '/suggestions/:number', LISTS, directory.suggestions],
    ['GET', '/logo/:size/:hash', [], createLogoRoute(services, context)],
    ['GET', '/api/2/updates/:user/:device', JSON_ONLY, createUpdateRoute(services, context)],

    ['GET', '/api/podsync/1/statistics/:user', JSON_ONLY, createStatisticsRoute(services, context)],

    // version 1, deprecated: the same except for episode actions (see createEpisodeRoutes)
    ['GET', '/api/1/subscriptions/:user/:device', JSON_ONLY, subscriptions.changes],
    ['POST', '/api/1/subscriptions/:user/:device', JSON_ONLY, subscriptions.upload],
    ['GET', '/api/1/devices/:user', JSON_ONLY, devices.all],
    ['POST', '/api/1/devices/:user/:device', JSON_ONLY, devices.save],
    ['PUT', '/api/1/devices/:user/:device', JSON_ONLY, devices.save], // as old clients do
    ['GET', '/api/1/episodes/:user', JSON_ONLY, episodes1.query],
    ['POST', '/api/1/episodes/:user', JSON_ONLY, episodes1.upload],

    // for the oldest clients: /upload and /getlist return 200 even for a refusal
    ['POST', '/upload', [], legacy.upload],
    ['GET', '/upload', [], legacy.notUploaded],
    ['GET', '/getlist', [], legacy.getList],
    ['GET', '/toplist', ['opml'], guarded(directory.top50)],

    // the Nextcloud dialect: a GET, too, registers the device and moves its mark
    ...['/index.php/apps/gpoddersync', '/apps/gpoddersync'].flatMap((apps): Route[] => [
      ['GET', `${apps}/subscriptions`, [], nextcloud.subscriptions, true],
      ['POST', `${apps}/subscription_change/create`, [], nextcloud.uploadSubscriptions],
      ['GET', `${apps}/episode_action`, [], nextcloud.actions, true],
      ['POST', `${apps}/episode_action/create`, [], nextcloud.uploadActions],
    ]),
    ['POST', '/index.php/login/v2', [], loginFlow.begin, false], // without a login
    ['POST', POLL_PATH, [], loginFlow.poll, false],
    ['GET', '/status.php', [], ocs.status],
    ['GET', '/ocs/v2.php/cloud/capabilities', [], ocs.capabilities],
    ['GET', '/ocs/v2.php/core/getapppassword', [], ocs.exchangePassword],
    ['DELETE', '/ocs/v2.php/core/apppassword', [], ocs.revokePassword],

    ['GET', '/clientconfig', JSON_ONLY, createClientConfigRoute(context)],
    ['GET', '/health', [], createHealthRoute(services)],

    ...createSiteRoutes(services, context),
  ];
}
