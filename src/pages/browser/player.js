// oxlint-disable unicorn/consistent-function-scoping -- the function is sent as text and must contain everything that it uses

/**
 * The player of an episode page (see `pages/player.ts`). It is sent as the text of this function, so it uses nothing from
 * outside. Uploads the position of a signed-in user on play, pause and end, every 30 seconds, and on leaving the page.
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
    audio.defaultPlaybackRate = Number(speed.value); // also for media loaded later
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
  /** The last known position, to distinguish playing from seeking. */
  let last = 0;
  /** Seconds played since the last upload. */
  let played = 0;
  /** The last uploaded position. */
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
      // The next upload includes it.
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
  // The last event of a page on a phone, which may end it at any time.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) uploadChange();
  });
}
