import { damage } from './damage.ts';
import { encodings } from './encodings.ts';
import { episodes } from './episodes.ts';
import { hosts } from './hosts.ts';
import { kinds } from './kinds.ts';
import { publishers } from './publishers.ts';
import type { Sample } from './sample.ts';
import { texts } from './texts.ts';

export const SAMPLES: readonly Sample[] = [
  ...kinds,
  ...encodings,
  ...texts,
  ...episodes,
  ...damage,
  ...hosts,
  ...publishers,
];
