import { isFinished } from '../../domain/listening.ts';
import type { Seconds, Url } from '../../domain/types.ts';
import type { OwnEpisode } from '../../services/listening/playback.ts';
import { attributes, type Markup, markup } from './markup.ts';
import { toClock, toDuration } from './time.ts';

/** The user's state of an episode, and its length from the feed. */
interface Played {
  own?: OwnEpisode | undefined;
  duration?: Seconds | undefined;
}

/** Its length as reported by an app, otherwise from the feed. */
export const lengthOf = ({ own, duration }: Played): Seconds | undefined => own?.state?.total ?? duration;

export const isPlayed = (played: Played): boolean =>
  isFinished(played.own?.state?.position ?? 0, lengthOf(played) ?? 0);

/** Where to resume: 0 for a finished episode. */
export const resumeAt = (played: Played): Seconds => (isPlayed(played) ? 0 : (played.own?.state?.position ?? 0));

/** The state of an episode as text, otherwise its length. */
export function describePlayback(played: Played): string {
  const [length, position] = [lengthOf(played), resumeAt(played)];
  const left = length === undefined ? `Stopped at ${toClock(position)}` : `${toDuration(length - position)} left`;
  const parts = [
    isPlayed(played) && 'Played',
    position > 0 ? left : length !== undefined && toDuration(length),
    played.own?.state?.action === 'new' && 'Marked as new',
    played.own?.state?.action === 'delete' && 'Deleted',
  ];
  return parts.filter(Boolean).join(' · ');
}

/** A progress bar of an episode. */
export const renderProgress = (position: Seconds, total: Seconds): Markup =>
  markup`<progress max="${total}" value="${Math.min(position, total)}" aria-label="Played">${Math.round((100 * position) / total)} %</progress>`;

/** The same for an episode in progress. */
export function renderPlayed(played: Played): Markup | undefined {
  const [length, position] = [lengthOf(played), resumeAt(played)];
  return length === undefined || position === 0 ? undefined : renderProgress(position, length);
}

interface MarkButton {
  base: string;
  url: Url;
  /** Title of the episode, if there are several on the page. */
  name?: string;
  /** Anchor to return to. */
  anchor?: string;
}

/** By the path of the form. */
const MARKS = {
  played: 'Mark as played',
  new: 'Mark as new',
  favorite: 'Add to favourites',
  'favorite/remove': 'Remove from favourites',
};

/** A button that marks an episode; must be in a form with its podcast. */
export function renderMark(mark: keyof typeof MARKS, { base, url, name, anchor }: MarkButton): Markup {
  const attrs = attributes({
    name: 'url',
    value: url,
    formaction: `${base}/episode/${mark}${anchor === undefined ? '' : `#${anchor}`}`,
    'aria-label': name && `${MARKS[mark]}: ${name}`,
  });
  return markup`<button class="plain"${attrs}>${MARKS[mark]}</button>`;
}
