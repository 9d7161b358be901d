import { describeChecks } from './python-checks.ts';
import { SITES } from './site.ts';

const areas = ['configuration', 'subscriptions', 'lists', 'episodes'];

for (const [location, options] of Object.entries(SITES)) {
  describeChecks(`gPodder, ${location}`, { folder: 'gpodder', areas }, options);
}
