import { describeChecks } from './python-checks.ts';
import { SITES } from './site.ts';

const areas = ['configuration', 'subscriptions', 'lists', 'episodes'];

for (const [where, options] of Object.entries(SITES)) {
  describeChecks(`gPodder, ${where}`, { folder: 'gpodder', areas }, options);
}
