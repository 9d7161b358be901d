// oxlint-disable unicorn/consistent-function-scoping -- the function is sent as text and must contain everything that it uses

/**
 * The player of an episode page (see `pages/parts/player.ts`). It is sent as the text of this function, so it uses nothing from
 * outside. Uploads the position of a signed-in user on play, pause and end, every 30 seconds, and on leaving the page.
 * The last upload of each episode that did not arrive is stored in the browser, and sent again by the next page with a
 * player.
 */
export function runPlayer() {
  const player = document.querySelector('[data-player]');
  const audio = player?.querySelector('audio');
  if (!(player instanceof HTMLElement) || !audio) return;
  /** @param {string} name */
  const show = (name, isShown = true) => player.querySelector(`[data-${name}]`)?.toggleAttribute('hidden', !isShown);

  /** Where the address of the media says to start. @param {HTMLAudioElement} from */
  const startOf = ({ src }) => Number(/#t=(\d+)$/.exec(src)?.[1] ?? 0);
  audio.currentTime = startOf(audio); // before it is loaded, too: skipping starts there

  /** @param {number} seconds */
  const skip = (seconds) => {
    audio.currentTime = Math.max(0, Math.min(audio.currentTime + seconds, audio.duration || Infinity));
  };
  for (const button of player.querySelectorAll('button')) {
    if (button.dataset.skip) button.addEventListener('click', () => skip(Number(button.dataset.skip)));
  }
  /** Undefined if the browser does not let pages store anything. */
  const openStorage = () => {
    try {
      return localStorage;
    } catch {
      return undefined;
    }
  };
  const speed = player.querySelector('select');
  const applySpeed = () => {
    if (!speed) return;
    audio.defaultPlaybackRate = Number(speed.value); // also for media loaded later
    audio.playbackRate = Number(speed.value);
  };
  const chosen = openStorage()?.getItem('podsync-speed');
  if (speed && chosen && [...speed.options].some(({ value }) => value === chosen)) speed.value = chosen;
  applySpeed();
  speed?.addEventListener('change', () => {
    applySpeed();
    openStorage()?.setItem('podsync-speed', speed.value);
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
  const token = new FormData(form).get('csrf');
  /** @param {string} fields */
  const send = (fields) => {
    const body = new URLSearchParams(`${fields}&csrf=${token}`);
    return fetch(form.action, { method: 'POST', body, keepalive: true, redirect: 'error' });
  };

  /** Of this user: another one may use the same browser. */
  const storage = `podsync unsent ${form.dataset.user}`;
  /** @returns {Record<string, { at: number, fields: string }>} uploads that did not arrive, by episode */
  const readUnsent = () => {
    try {
      return JSON.parse(localStorage.getItem(storage) ?? '{}');
    } catch {
      return {}; // the browser stores nothing for this site
    }
  };
  /** @param {string} episode @param {string} [fields] */
  const setUnsent = (episode, fields) => {
    const { [episode]: _previous, ...others } = readUnsent();
    try {
      const unsent = fields === undefined ? others : { ...others, [episode]: { at: Date.now(), fields } };
      if (Object.keys(unsent).length > 0) localStorage.setItem(storage, JSON.stringify(unsent));
      else localStorage.removeItem(storage);
    } catch {
      // as above, or full
    }
  };
  for (const [episode, { at, fields }] of Object.entries(readUnsent())) {
    const age = Math.max(0, Math.round((Date.now() - at) / 1000));
    send(`${fields}&age=${age}`).then(
      ({ ok, status }) => (ok || status === 400) && setUnsent(episode), // a refused one will never succeed
      () => undefined,
    );
  }

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
    const fields = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    fields.delete('csrf');
    // A sum of fractions may be a little too large.
    fields.set('started', String(Math.max(0, Math.floor(audio.currentTime - part + 0.001))));
    fields.set('position', String(position));
    if (Number.isFinite(audio.duration)) fields.set('total', String(Math.floor(audio.duration)));
    [saved, played] = [position, 0];
    const episode = `${fields.get('podcast')} ${fields.get('url')}`;
    // The page no longer sees the response. Stored only if it is unlikely to arrive: otherwise it would be sent twice.
    if (isLeaving && (!navigator.onLine || episode in readUnsent())) setUnsent(episode, String(fields));
    try {
      const response = await send(String(fields));
      if (!response.ok) throw new Error(response.statusText);
      setUnsent(episode);
      show('unsaved', false);
    } catch {
      setUnsent(episode, String(fields));
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
