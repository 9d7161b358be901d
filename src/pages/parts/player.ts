import type { Seconds, Url } from '../../domain/types.ts';
import { renderToken } from './form.ts';
import { attributes, type Markup, markup } from './markup.ts';

interface Player {
  base: string;
  /** Media URL, which has no fragment. */
  src: Url;
  /** Start position. */
  startAt: Seconds;
  title: string;
  podcastTitle: string;
  /** Address of an image. */
  artwork: string;
  /** Set for signed-in users: their playback is uploaded. */
  owner?: { name: string; csrf: string; podcast: Url; total: Seconds | undefined };
}

const SPEEDS = ['0.75', '1', '1.25', '1.5', '1.75', '2', '2.5', '3'];

/** Addresses of videos: an audio element would play only their sound. */
const VIDEO = /^[^?]*\.(?:m4v|mov|mp4|ogv|webm)(?:\?|$)/i;

/**
 * Plays an episode in the browser, if the browser supports its format. `browser/player.js` shows the hidden controls and
 * sends the form. Without a script it is a plain player that starts at the same position.
 */
export function renderPlayer({ base, src, startAt, title, podcastTitle, artwork, owner }: Player): Markup {
  const address = startAt > 0 ? `${src}#t=${startAt}` : src;
  const element = VIDEO.test(src) ? 'video' : 'audio';
  const speeds = SPEEDS.map(
    (speed) => markup`<option${attributes({ value: speed, selected: speed === '1' })}>${speed}×</option>`,
  );
  return markup`<section class="card player" aria-label="Player"${attributes({ 'data-player': true, 'data-title': title, 'data-artist': podcastTitle, 'data-artwork': artwork })}>
<${element} controls preload="none" src="${address}"></${element}>
<div class="actions" data-controls hidden>
<button type="button" class="plain" data-skip="-15">Back 15 s</button>
<button type="button" class="plain" data-skip="30">Forward 30 s</button>
<label>Speed <select data-speed>${speeds}</select></label>
</div>
<p class="problem" role="alert" data-unplayable hidden>This browser cannot play the file. If the connection was lost, reload the page; otherwise use the link to the media file below, or a podcast app.</p>
${
  owner &&
  markup`<p class="problem" role="alert" data-unsaved hidden>Your position could not be saved. The player keeps trying while this page is open; if this message stays, sign in again.</p>
<form method="post" action="${base}/episode/progress"${attributes({ 'data-user': owner.name })} hidden>${renderToken(owner.csrf)}
<input type="hidden" name="podcast" value="${owner.podcast}"><input type="hidden" name="url" value="${src}"><input type="hidden" name="total" value="${owner.total ?? ''}"></form>`
}
</section>`;
}
