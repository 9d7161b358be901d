import { readOneOf } from '../../http/input.ts';
import { renderStatistics } from '../../pages/statistics.ts';
import { RANGES } from '../../services/listening/statistics.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import type { Site } from './site.ts';

/** Listening statistics of the owner, as charts. */
export const createStatisticsPage = (
  { statistics, devices }: Pick<Services, 'statistics' | 'devices'>,
  site: Site,
): Handler =>
  site.signedIn(async (event, { id, name }) => {
    const counted = await statistics.of(id, readOneOf(event, 'range', RANGES));
    const deviceNames = await devices.names(id);
    return site.page(event, ({ base }) => renderStatistics({ base, name, statistics: counted, deviceNames }));
  });
