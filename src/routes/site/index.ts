import type { Services } from '../../services/services.ts';
import { createDirectoryGuard } from '../directory-guard.ts';
import type { Handler, Route, RouteContext } from '../route.ts';
import { ASSET_ROUTES } from './assets.ts';
import { createAuthorizePages } from './authorize.ts';
import { createDevicePages } from './devices.ts';
import { createDirectoryPage } from './directory.ts';
import { createFavoritesPage } from './favorites.ts';
import { createHistoryPages } from './history.ts';
import { createConnectPage, createHomePage } from './home.ts';
import { createListPages } from './lists.ts';
import { createLoginPages } from './login.ts';
import { createOpmlImportPages } from './opml-import.ts';
import { createPasswordLinkPages } from './password-link.ts';
import { createPlaybackForms } from './playback.ts';
import { createPublicPages } from './public-pages.ts';
import { createRegisterPages } from './register.ts';
import { createSettingsPages } from './settings.ts';
import { createSite, type Site } from './site.ts';
import { createStatisticsPage } from './statistics.ts';
import { createSubscriptionPages } from './subscriptions.ts';

/** The routes of the website. */
export function createSiteRoutes(services: Services, context: RouteContext): Route[] {
  const site = createSite(services, context);
  const login = createLoginPages(context, site);
  const register = createRegisterPages(services, context, site);
  const passwordLink = createPasswordLinkPages(services, context, site);
  const authorize = createAuthorizePages(services, site);
  const pages = createPublicPages(services, context, site);
  const devices = createDevicePages(services, site);
  const settings = createSettingsPages(services, context, site);
  const subscriptions = createSubscriptionPages(services, site);
  const lists = createListPages(services, site);
  const opmlImport = createOpmlImportPages(services, site);
  const history = createHistoryPages(services, site);
  const guarded = createDirectoryGuard(context);
  const forMembers = (handler: Handler): Handler =>
    context.directory === 'members' ? site.signedIn(handler) : handler;
  const playback = createPlaybackForms(services, site);

  const table: Route[] = [
    ['GET', '/', [], createHomePage(services, context, site)],
    ['GET', '/connect', [], createConnectPage(site)],
    ['GET', '/login', [], login.show],
    ['POST', '/login', [], login.submit],
    ['POST', '/logout', [], login.signOut],
    ['GET', '/register', [], register.show],
    ['POST', '/register', [], register.submit],

    ['GET', '/welcome/:token', [], passwordLink.show],
    ['POST', '/welcome/:token', [], passwordLink.submit],

    ['GET', '/authorize', [], authorize.show],
    ['POST', '/authorize', [], authorize.submit],

    ['GET', '/devices', [], devices.all],
    ['POST', '/devices', [], devices.group],
    ['POST', '/devices/sync', [], devices.sync],
    ['GET', '/device', [], devices.show], // with its id as a parameter: `..` is one
    ['POST', '/device', [], devices.save],
    ['POST', '/device/remove', [], devices.remove],

    ['GET', '/settings', [], settings.show],
    ['POST', '/settings/privacy', [], settings.privacy],
    ['POST', '/settings/email', [], settings.email],
    ['POST', '/settings/password', [], settings.password],
    ['POST', '/settings/app-passwords', [], settings.createAppPassword],
    ['POST', '/settings/app-passwords/revoke', [], settings.revokeAppPassword],
    ['POST', '/settings/sessions', [], settings.sessions],
    ['GET', '/settings/backup', [], settings.backup],
    ['POST', '/settings/delete', [], settings.delete],

    ['GET', '/subscriptions', [], subscriptions.show],
    ['POST', '/subscriptions', [], subscriptions.subscribe],
    ['POST', '/subscriptions/remove', [], subscriptions.remove],
    ['POST', '/subscriptions/restore', [], subscriptions.restore],
    ['GET', '/subscriptions/import', [], opmlImport.show],
    ['POST', '/subscriptions/import', [], opmlImport.submit],

    ['GET', '/directory', [], forMembers(createDirectoryPage(services, context, site))],

    ['GET', '/lists', [], lists.all],
    ['POST', '/lists', [], lists.create],
    ['GET', '/lists/:name', [], lists.show],
    ['POST', '/lists/:name/up', [], lists.up],
    ['POST', '/lists/:name/down', [], lists.down],
    ['POST', '/lists/:name/add', [], lists.add],
    ['POST', '/lists/:name/remove', [], lists.remove],
    ['POST', '/lists/:name/rename', [], lists.rename],
    ['POST', '/lists/:name/delete', [], lists.delete],

    ['GET', '/history', [], history.show],
    ['GET', '/history', ['csv', 'json'], history.download],
    ['GET', '/favorites', [], createFavoritesPage(services, site)],
    ['GET', '/statistics', [], createStatisticsPage(services, site)],

    ['GET', '/podcast', [], forMembers(pages.podcast)],
    ['GET', '/episode', [], forMembers(pages.episode)],
    ['POST', '/episode/played', [], playback.played],
    ['POST', '/episode/new', [], playback.new],
    ['POST', '/episode/favorite', [], playback.favorite],
    ['POST', '/episode/favorite/remove', [], playback.unfavorite],
    ['POST', '/episode/progress', [], playback.progress],

    ['GET', '/user/:user', [], forMembers(pages.user)],
    ['GET', '/user/:user/subscriptions', ['opml'], guarded(pages.shared)],
    ['GET', '/user/:user/lists/:name', [], forMembers(pages.list)],

    ['GET', '/assets/:name', [], ASSET_ROUTES.asset],
    ['GET', '/favicon', ['ico'], ASSET_ROUTES.favicon],
    ['GET', '/manifest.webmanifest', [], ASSET_ROUTES.manifest],
    ['GET', '/robots.txt', [], ASSET_ROUTES.robots],
  ];
  return [...table, ...createFormRedirects(table, site)];
}

/**
 * For a browser that opens the address of a form, as after a restart: redirects to the address above it, until one is a
 * page.
 */
function createFormRedirects(table: readonly Route[], site: Site): Route[] {
  const pages = new Set(table.filter(([method]) => method === 'GET').map(([, path]) => path));
  const redirect: Handler = (event) => {
    const { pathname, search } = event.url;
    return site.redirect(event, (pathname.replace(/\/[^/]+\/?$/, '') || '/') + search);
  };
  return table.filter(([, path]) => !pages.has(path)).map(([, path]) => ['GET', path, [], redirect]);
}
