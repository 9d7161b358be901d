import { isFinished } from '../domain/listening.ts';
import type { Seconds, Url } from '../domain/types.ts';
import type { OwnEpisode } from '../services/listening/playback.ts';
import { attributes, type Markup, markup } from './markup.ts';
import { toClock, toDuration } from './time.ts';

/** An episode, what its owner did with it, and its length as its feed gives it. */
interface Played {
  own?: OwnEpisode | undefined;
  duration?: Seconds | undefined;
}

/** Its length: what an app reported, else what the feed says. */
export const lengthOf = ({ own, duration }: Played): Seconds | undefined => own?.state?.total ?? duration;

export const isPlayed = (played: Played): boolean =>
  isFinished(played.own?.state?.position ?? 0, lengthOf(played) ?? 0);

/** Where playing goes on: 0 for an episode that was played to its end. */
export const resumeAt = (played: Played): Seconds => (isPlayed(played) ? 0 : (played.own?.state?.position ?? 0));

/** What an account did with an episode, in words; else its length. */
export function describePlayback(played: Played): string {
  const [length, position] = [lengthOf(played), resumeAt(played)];
  const left = length === undefined ? `Stopped at ${toClock(position)}` : `${toDuration(length - position)} left`;
  const parts = [
    isPlayed(played) && 'Played',
    position > 0 ? left : length !== undefined && toDuration(length),
    played.own?.state?.action === 'new' && 'Marked as new',
    played.own?.state?.action === 'delete' && 'Deleted',
    played.own?.isFavorite && 'Favorite',
  ];
  return parts.filter(Boolean).join(' · ');
}

/** How much of an episode was played. */
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
  /** What the episode is called, where there are several. */
  name?: string;
  /** Place on the page to come back to. */
  anchor?: string;
}

const MARKS = { played: 'Mark as played', new: 'Mark as new' };

/** A button that marks an episode; within a form that names its podcast. */
export function renderMark(mark: keyof typeof MARKS, { base, url, name, anchor }: MarkButton): Markup {
  const attrs = attributes({
    name: 'url',
    value: url,
    formaction: `${base}/episode/${mark}${anchor === undefined ? '' : `#${anchor}`}`,
    'aria-label': name && `${MARKS[mark]}: ${name}`,
  });
  return markup`<button class="plain"${attrs}>${MARKS[mark]}</button>`;
}
