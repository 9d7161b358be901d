import { raw } from 'h3';
import { type Markup, markup, toHtml } from './markup.ts';
import { STYLE } from './style.ts';

/** A whole page. */
export const renderPage = (title: string, content: Markup): string =>
  toHtml(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`);
