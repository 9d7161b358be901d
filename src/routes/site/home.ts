import { readQuery } from '../../http/input.ts';
import { renderConnect } from '../../pages/connect.ts';
import { renderLanding } from '../../pages/landing.ts';
import { renderOverview } from '../../pages/overview.ts';
import type { Services } from '../../services/services.ts';
import type { Handler, RouteContext } from '../route.ts';
import type { Site } from './site.ts';

/** The home page: a landing page for visitors, how to connect an app, or an overview of what was synced. */
export const createHomePage =
  ({ home }: Pick<Services, 'home'>, { identity }: RouteContext, site: Site): Handler =>
  async (event) => {
    const user = await identity.siteUser(event);
    if (!user) {
      const notice = readQuery(event, 'deleted') === 'account' ? 'Your account has been deleted.' : undefined;
      return site.page(event, (frame) => renderLanding({ ...frame, notice }));
    }
    const overview = await home.overview(user.id);
    const { name } = user;
    return site.page(event, ({ base }) =>
      overview.isEmpty ? renderConnect({ base, name, devices: overview.devices }) : renderOverview({ base, overview }),
    );
  };

/** The page that explains how to connect an app. */
export const createConnectPage = (site: Site): Handler =>
  site.signedIn((event, { name }) => site.page(event, ({ base }) => renderConnect({ base, name })));
