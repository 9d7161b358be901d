import { toSentence } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
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

/** The error page. */
export function renderError(base: string, status: number, message: string): Page {
  const title = TITLES[status] ?? 'Error';
  return {
    title,
    isNarrow: true,
    content: markup`<h1>${title}</h1>
<p>${toSentence(message)}</p>
<p class="actions">${status === 401 ? markup`<a class="button" href="${base}/login">Sign in</a>` : ''}<a class="button plain" href="${base}/">Home page</a></p>`,
  };
}
