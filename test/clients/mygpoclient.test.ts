import { describeChecks } from './python-checks.ts';
import { SITES } from './site.ts';

const folder = 'mygpoclient';
const areas = ['sessions', 'subscriptions', 'devices', 'directory', 'episodes', 'settings', 'syncing', 'programs'];

for (const [location, options] of Object.entries(SITES)) {
  describeChecks(`python3-mygpoclient, ${location}`, { folder, areas }, options);
}
