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

  // Choices that apply themselves, such as an order, need no button.
  for (const form of document.querySelectorAll('form[data-submit-on-change]')) {
    if (!(form instanceof HTMLFormElement)) continue;
    form.addEventListener('change', () => form.requestSubmit());
    form.querySelector('button')?.setAttribute('hidden', '');
  }
}
