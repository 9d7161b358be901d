import { toSentence } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { loginPage } from './parts/links.ts';
import { markup } from './parts/markup.ts';

const TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'Sign in first',
  403: 'Not allowed',
  404: 'Page not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Server error',
  503: 'Try again soon',
  507: 'Server full',
};

interface ErrorPage {
  base: string;
  status: number;
  message: string;
  /** Set if a login may help: the path below `base` to continue with. */
  next?: string | undefined;
}

/** The error page. */
export function renderError({ base, status, message, next }: ErrorPage): Page {
  const title = TITLES[status] ?? 'Error';
  return {
    title,
    isNarrow: true,
    content: markup`<h1>${title}</h1>
<p>${toSentence(message)}</p>
${status === 404 && next !== undefined ? markup`<p>If it belongs to your account, sign in to see it.</p>` : ''}
<p class="actions">${next === undefined ? '' : markup`<a class="button" href="${loginPage(base, next)}">Sign in</a>`}<a class="button plain" href="${base}/">Home page</a></p>`,
  };
}
