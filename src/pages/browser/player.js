// oxlint-disable unicorn/consistent-function-scoping -- the function is sent as text and must contain everything that it uses

/**
 * The player of an episode page (see `pages/parts/player.ts`). It is sent as the text of this function, so it uses nothing from
 * outside. Uploads the position of a signed-in user on play, pause and end, every 30 seconds, and on leaving the page; goes
 * on where an app has stopped while the page was hidden.
 * The last upload of each episode that did not arrive is stored in the browser, and sent again by the next page with a
 * player.
 */
export function runPlayer() {
  const player = document.querySelector('[data-player]');
  const media = player?.querySelector('audio, video');
  if (!(player instanceof HTMLElement) || !(media instanceof HTMLMediaElement)) return;
  /** @param {string} name */
  const show = (name, isShown = true) => player.querySelector(`[data-${name}]`)?.toggleAttribute('hidden', !isShown);

  /** Where the address of the media says to start. @param {HTMLMediaElement} from */
  const startOf = ({ src }) => Number(/#t=(\d+)$/.exec(src)?.[1] ?? 0);
  media.currentTime = startOf(media); // before it is loaded, too: skipping starts there

  /** @param {number} seconds */
  const skip = (seconds) => {
    media.currentTime = Math.max(0, Math.min(media.currentTime + seconds, media.duration || Infinity));
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
    media.defaultPlaybackRate = Number(speed.value); // also for media loaded later
    media.playbackRate = Number(speed.value);
  };
  const chosen = openStorage()?.getItem('podsync-speed');
  if (speed && chosen && [...speed.options].some(({ value }) => value === chosen)) speed.value = chosen;
  applySpeed();
  speed?.addEventListener('change', () => {
    applySpeed();
    openStorage()?.setItem('podsync-speed', speed.value);
  });
  show('controls');
  media.addEventListener('error', () => show('unplayable'));

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
  /** Seconds between uploads while a position changes. */
  const INTERVAL = 30;
  /** @param {number} time by the clock of the browser */
  const ageOf = (time) => Math.floor((Date.now() - time) / 1000);
  /**
   * Resolves to the status of the response. Gives up before the next upload: on a bad network there may never be one.
   * @param {number} at when the position was reached
   * @param {string} fields
   */
  const send = async (at, fields) => {
    const age = ageOf(at) < INTERVAL ? 0 : ageOf(at); // what was just played becomes the newest action: see `playback.ts`
    const body = new URLSearchParams(`${fields}&age=${age}&csrf=${token}`);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20_000);
    const { signal } = controller;
    const response = await fetch(form.action, { method: 'POST', body, keepalive: true, redirect: 'error', signal });
    return response.status;
  };
  const isStored = (/** @type {number | undefined} */ status) => status === 204; // 200: a page of a proxy or hotspot

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
  /**
   * Stores or removes an upload, but not one of a later position.
   * @param {string} episode @param {number} at @param {string} [fields]
   */
  const setUnsent = (episode, at, fields) => {
    const { [episode]: previous, ...others } = readUnsent();
    if (previous && previous.at > at) return;
    try {
      const unsent = fields === undefined ? others : { ...others, [episode]: { at, fields } };
      if (Object.keys(unsent).length > 0) localStorage.setItem(storage, JSON.stringify(unsent));
      else localStorage.removeItem(storage);
    } catch {
      // as above, or full
    }
  };

  let isPlaying = false;
  /** The last known position, to distinguish playing from seeking. */
  let last = 0;
  /** Seconds played since the last upload. */
  let played = 0;
  /** The position that the server has, -1 if an upload failed. */
  let saved = startOf(media);
  /** When the position last changed, by the clock of the browser. */
  let movedAt = 0;
  /** @param {number} position */
  const move = (position) => {
    last = position;
    movedAt = Date.now();
  };

  /** @returns {URLSearchParams} the podcast, the episode and its length */
  const readForm = () => {
    const fields = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    fields.delete('csrf');
    return fields;
  };
  const episode = `${readForm().get('podcast')} ${readForm().get('url')}`;

  const upload = async (isLeaving = false) => {
    const [at, position, part] = [movedAt, Math.floor(media.currentTime), played];
    const fields = readForm();
    // A sum of fractions may be a little too large.
    fields.set('started', String(Math.max(0, Math.floor(media.currentTime - part + 0.001))));
    fields.set('position', String(position));
    if (Number.isFinite(media.duration)) fields.set('total', String(Math.floor(media.duration)));
    [saved, played] = [position, 0];
    // The page no longer sees the response, so it is either sent or stored: both would count it twice.
    if (isLeaving && (!navigator.onLine || episode in readUnsent())) {
      setUnsent(episode, at, String(fields));
      return;
    }
    const status = await send(at, String(fields)).catch(() => undefined);
    if (isStored(status)) {
      setUnsent(episode, at);
    } else {
      setUnsent(episode, at, String(fields));
      // The next upload includes it.
      saved = -1;
      played += part;
    }
    if (!isLeaving) show('unsaved', saved === -1);
  };
  const uploadChange = (isLeaving = false) => {
    if (saved !== Math.floor(media.currentTime) && media.played.length > 0) void upload(isLeaving);
  };

  /** Goes on where an app has stopped since, unless this page plays or has a position that the server does not have. */
  const catchUp = async () => {
    const { currentTime } = media;
    const isIdle = () =>
      media.paused &&
      media.currentTime === currentTime && // a later answer may have moved it already
      saved === Math.floor(currentTime) &&
      !(episode in readUnsent()) &&
      ageOf(movedAt) > INTERVAL; // no upload waits for its response
    if (!isIdle()) return;
    const response = await fetch(location.href);
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-player]');
    const source = fresh?.querySelector('audio, video');
    const isOwn = fresh?.querySelector('form')?.dataset.user === form.dataset.user; // somebody else may have signed in
    const position = source instanceof HTMLMediaElement && isOwn ? startOf(source) : 0;
    if (position === 0 || position === saved || !isIdle()) return;
    saved = position;
    media.currentTime = position;
  };

  for (const [unsent, { at, fields }] of Object.entries(readUnsent())) {
    send(at, fields)
      .then((status) => {
        if (!isStored(status) && status !== 400) return undefined; // a refused one will never succeed
        setUnsent(unsent, at);
        return unsent === episode ? catchUp() : undefined;
      })
      .catch(() => undefined);
  }

  media.addEventListener('timeupdate', () => {
    if (!isPlaying || media.seeking) return;
    played += Math.max(0, media.currentTime - last);
    move(media.currentTime);
  });
  media.addEventListener('seeking', () => move(media.currentTime));
  media.addEventListener('playing', () => {
    if (isPlaying) return;
    isPlaying = true;
    move(media.currentTime);
    void upload();
  });
  media.addEventListener('pause', () => {
    isPlaying = false;
    uploadChange();
  });
  setInterval(uploadChange, INTERVAL * 1000);
  window.addEventListener('pagehide', () => uploadChange(true));
  // Otherwise the upload on leaving would arrive after the mark, and undo it.
  document.addEventListener('submit', ({ submitter }) => {
    if (!(submitter instanceof HTMLButtonElement) || !/\/episode\/(played|new)$/.test(submitter.formAction)) return;
    media.pause();
    saved = Math.floor(media.currentTime);
  });
  // The last event of a page on a phone, which may end it at any time.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) uploadChange();
    else void catchUp().catch(() => undefined);
  });
}
