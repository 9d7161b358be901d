// oxlint-disable unicorn/consistent-function-scoping -- the function is sent as text, with all that it uses inside

/**
 * The player of an episode page (see `pages/player.ts`), sent as the text of this function: it uses nothing from outside
 * of itself. What an owner plays is uploaded when it begins, pauses or ends, every 30 seconds, and when the page is left.
 */
export function runPlayer() {
  const player = document.querySelector('[data-player]');
  const audio = player?.querySelector('audio');
  if (!(player instanceof HTMLElement) || !audio) return;
  /** @param {string} name */
  const show = (name, isShown = true) => player.querySelector(`[data-${name}]`)?.toggleAttribute('hidden', !isShown);

  /** @param {number} seconds */
  const skip = (seconds) => {
    audio.currentTime = Math.max(0, Math.min(audio.currentTime + seconds, audio.duration || Infinity));
  };
  for (const button of player.querySelectorAll('button')) {
    if (button.dataset.skip) button.addEventListener('click', () => skip(Number(button.dataset.skip)));
  }
  const speed = player.querySelector('select');
  speed?.addEventListener('change', () => {
    audio.defaultPlaybackRate = Number(speed.value); // also of what is loaded later
    audio.playbackRate = Number(speed.value);
  });
  show('controls');
  audio.addEventListener('error', () => show('unplayable'));

  if ('mediaSession' in navigator) {
    const { title, artist, artwork } = player.dataset;
    navigator.mediaSession.metadata = new MediaMetadata({
      title: title ?? '',
      artist: artist ?? '',
      artwork: artwork ? [{ src: artwork }] : [],
    });
    navigator.mediaSession.setActionHandler('seekbackward', ({ seekOffset }) => skip(-(seekOffset ?? 15)));
    navigator.mediaSession.setActionHandler('seekforward', ({ seekOffset }) => skip(seekOffset ?? 30));
  }

  const form = player.querySelector('form');
  if (!form) return;
  let isPlaying = false;
  /** Where it was last, to tell what is played from what is skipped. */
  let last = 0;
  /** Seconds that were played and not uploaded yet. */
  let played = 0;
  /** The position that was uploaded last. */
  let saved = -1;

  const upload = async (isLeaving = false) => {
    const position = Math.floor(audio.currentTime);
    const part = played;
    const fields = new FormData(form);
    fields.set('started', String(Math.max(0, Math.floor(audio.currentTime - part))));
    fields.set('position', String(position));
    if (Number.isFinite(audio.duration)) fields.set('total', String(Math.floor(audio.duration)));
    [saved, played] = [position, 0];
    const body = new URLSearchParams(/** @type {any} */ (fields));
    try {
      const answer = await fetch(form.action, { method: 'POST', body, keepalive: true, redirect: 'error' });
      if (!answer.ok) throw new Error(answer.statusText);
      show('unsaved', false);
    } catch {
      // The next upload brings it.
      saved = -1;
      played += part;
      if (!isLeaving) show('unsaved');
    }
  };
  const uploadChange = (isLeaving = false) => {
    if (saved !== Math.floor(audio.currentTime) && audio.played.length > 0) void upload(isLeaving);
  };

  audio.addEventListener('timeupdate', () => {
    if (!isPlaying || audio.seeking) return;
    played += Math.max(0, audio.currentTime - last);
    last = audio.currentTime;
  });
  audio.addEventListener('seeking', () => {
    last = audio.currentTime;
  });
  audio.addEventListener('playing', () => {
    if (isPlaying) return;
    isPlaying = true;
    last = audio.currentTime;
    void upload();
  });
  audio.addEventListener('pause', () => {
    isPlaying = false;
    uploadChange();
  });
  setInterval(() => {
    if (isPlaying) uploadChange();
  }, 30_000);
  window.addEventListener('pagehide', () => uploadChange(true));
  // The last that a telephone tells of a page that it may end at any time.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) uploadChange();
  });
}
