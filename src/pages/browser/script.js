// oxlint-disable unicorn/consistent-function-scoping -- the function is sent as text and must contain everything that it uses

/**
 * Enhances pages that also work without it. It is sent as the text of this function (see `assets.ts`), so it uses nothing
 * from outside.
 */
export function runInBrowser() {
  /** Closes menus when the visitor clicks elsewhere. @param {Element | null} except */
  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (menu !== except) menu.removeAttribute('open');
    }
  };
  document.addEventListener('click', ({ target }) => {
    closeMenus(target instanceof Element ? target.closest('details.menu') : null);
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    const menu = document.activeElement?.closest('details.menu[open]');
    closeMenus(null);
    menu?.querySelector('summary')?.focus();
  });

  // On a narrow screen the navigation may begin left of the current page.
  document.querySelector('.site-nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

  // Prevents sending a form twice.
  document.addEventListener('submit', ({ target, submitter }) => {
    if (target instanceof HTMLFormElement && target.method === 'post') {
      setTimeout(() => {
        submitter?.setAttribute('disabled', '');
        submitter?.setAttribute('data-sent', '');
      });
    }
  });
  const enableSent = () => {
    for (const button of document.querySelectorAll('form button[data-sent]')) {
      button.removeAttribute('disabled');
      button.removeAttribute('data-sent');
    }
  };
  window.addEventListener('pageshow', enableSent);
  window.navigation?.addEventListener('navigateerror', enableSent); // if the visitor stops it; not in older browsers

  // Without this script, times are in UTC.
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time[data-local]')) {
    if (time instanceof HTMLTimeElement) time.textContent = format.format(new Date(time.dateTime));
  }
  // Fetches the page again while it contains a waiting line, and reloads it once that line is missing.
  const waiting = document.querySelector('[data-waiting]');
  const checkWaiting = async () => {
    if (!waiting || document.hidden) return;
    const response = await fetch(location.href);
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-waiting]');
    if (!response.ok) return;
    if (!fresh) location.reload();
    else if (fresh.textContent !== waiting.textContent) waiting.replaceChildren(...fresh.childNodes);
  };
  if (waiting) setInterval(() => void checkWaiting().catch(() => undefined), 5000); // retries if the server is not available

  // Choices that apply at once, such as the order, need no button.
  for (const form of document.querySelectorAll('form[data-submit-on-change]')) {
    if (!(form instanceof HTMLFormElement)) continue;
    form.addEventListener('change', ({ target }) => {
      // The next page has the focus where this one had it: arrow keys go from choice to choice.
      if (target instanceof Element) form.action = `${form.action.replace(/#.*/, '')}#${target.id}`;
      form.requestSubmit();
    });
    form.querySelector('button')?.setAttribute('hidden', '');
  }
}
