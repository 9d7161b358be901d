// oxlint-disable unicorn/consistent-function-scoping -- the function is sent as text, with all that it uses inside

/**
 * Runs in the browser and makes nicer what works without it. It is sent as the text of this function (see `assets.ts`),
 * so it uses nothing from outside of itself.
 */
export function runInBrowser() {
  /** Menus close when the visitor looks elsewhere. @param {Element | null} except */
  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (menu !== except) menu.removeAttribute('open');
    }
  };
  document.addEventListener('click', ({ target }) => {
    closeMenus(target instanceof Element ? target.closest('details.menu') : null);
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') closeMenus(null);
  });

  // A form is sent once, however often its button is pressed.
  document.addEventListener('submit', ({ target, submitter }) => {
    if (target instanceof HTMLFormElement && target.method === 'post') {
      setTimeout(() => {
        submitter?.setAttribute('disabled', '');
        submitter?.setAttribute('data-sent', '');
      });
    }
  });
  window.addEventListener('pageshow', () => {
    for (const button of document.querySelectorAll('form button[data-sent]')) {
      button.removeAttribute('disabled');
      button.removeAttribute('data-sent');
    }
  });

  // Times are in UTC without a script.
  const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time[data-local]')) {
    if (time instanceof HTMLTimeElement) time.textContent = format.format(new Date(time.dateTime));
  }
  // A line that waits for something asks for itself again, and the page is loaded anew once it waits no more.
  const waiting = document.querySelector('[data-waiting]');
  const ask = async () => {
    if (!waiting || document.hidden) return;
    const answer = await fetch(location.href);
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-waiting]');
    if (!answer.ok) return;
    if (!fresh) location.reload();
    else if (fresh.textContent !== waiting.textContent) waiting.replaceChildren(...fresh.childNodes);
  };
  if (waiting) setInterval(() => void ask().catch(() => undefined), 5000); // a server that is away is asked again

  // Choices that apply themselves, such as an order, need no button.
  for (const form of document.querySelectorAll('form[data-submit-on-change]')) {
    if (!(form instanceof HTMLFormElement)) continue;
    form.addEventListener('change', () => form.requestSubmit());
    form.querySelector('button')?.setAttribute('hidden', '');
  }
}
