import manifest from 'podsync/package.json' with { type: 'json' };
import type { DirectoryMode } from '../../options.ts';
import { icon, script, styleSheet } from '../assets.ts';
import { renderToken } from './form.ts';
import { ownSubscriptions, registerPage } from './links.ts';
import { attributes, type Markup, markup, toHtml } from './markup.ts';

/** The signed-in user. */
interface SignedInUser {
  name: string;
  /** Token that forms send back (see `csrf.ts`). */
  csrf: string;
}

/** What surrounds the content of a page. */
export interface Frame {
  /** Public address of this server, without a trailing slash. */
  base: string;
  /** Path of the page below `base`, for the navigation. */
  path: string;
  /** Undefined for visitors who are not signed in. */
  user?: SignedInUser | undefined;
  /** Set where it is not known whether the visitor is signed in. */
  isUserUnknown?: boolean;
  /** Whether anybody may create an account. */
  isOpen: boolean;
  /** Whether the server has no account yet, and waits for its operator to create one. */
  isNew: boolean;
  /** Who may see the directory. */
  directory: DirectoryMode;
}

export interface Page {
  title: string;
  content: Markup;
  /** What was searched in the directory. */
  search?: string | undefined;
  /** Uses a narrow column for text or a form instead of the full width. */
  isNarrow?: boolean;
}

const NAVIGATION = [
  ['Home', '/'],
  ['Subscriptions', '/subscriptions'],
  ['History', '/history'],
  ['Statistics', '/statistics'],
  ['Devices', '/devices'],
  ['Lists', '/lists'],
  ['Directory', '/directory'],
  ['Settings', '/settings'],
] as const;

/** Whether the visitor may see the directory. */
export const hasDirectory = ({ directory, user }: Pick<Frame, 'directory' | 'user'>): boolean =>
  directory === 'public' || (directory === 'members' && user !== undefined);

/** A whole page as HTML. */
export const renderPage = (frame: Frame, { title, content, search, isNarrow = false }: Page): string =>
  toHtml(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta name="theme-color" content="#3949ab">
${frame.user && markup`<meta name="robots" content="noindex">`}
<title>${title} · podsync</title>
<link rel="icon" href="${frame.base}/assets/${icon.name}" type="image/svg+xml">
<link rel="manifest" href="${frame.base}/manifest.webmanifest">
<link rel="stylesheet" href="${frame.base}/assets/${styleSheet.name}">
<script src="${frame.base}/assets/${script.name}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${renderHeader(frame, search)}
<main id="content"${isNarrow ? markup` class="narrow"` : ''}>
${content}
</main>
${renderFooter(frame)}
</body>
</html>
`);

function renderHeader(frame: Frame, search: string | undefined): Markup {
  const { base, user, isUserUnknown, isOpen } = frame;
  const account = user ? renderMenu(frame, user) : renderSignIn(base, isOpen);
  return markup`<header class="site-header">
<div class="bar">
<a class="brand" href="${base}/"><img src="${base}/assets/${icon.name}" alt="">podsync</a>
${hasDirectory(frame) ? renderSearch(base, search) : ''}
${isUserUnknown ? '' : markup`<div class="account">${account}</div>`}
</div>
${user && renderNavigation(frame)}
</header>`;
}

const renderSearch = (base: string, value: string | undefined): Markup =>
  markup`<form role="search" action="${base}/directory"><input type="search"${attributes({ name: 'q', value, 'aria-label': 'Search the directory', placeholder: 'Search podcasts' })}></form>`;

const renderSignIn = (base: string, isOpen: boolean): Markup =>
  markup`<a href="${base}/login">Sign in</a>${isOpen ? markup`<a href="${registerPage(base)}">Create an account</a>` : ''}`;

const renderMenu = (
  { base, directory }: Frame,
  { name, csrf }: SignedInUser,
): Markup => markup`<details class="menu"><summary>${name}</summary>
<div>${directory === 'off' ? '' : markup`<a href="${base}/user/${encodeURIComponent(name)}">Public profile</a>`}
<a href="${base}/settings">Settings</a>
<form method="post" action="${base}/logout">${renderToken(csrf)}<button>Sign out</button></form></div>
</details>`;

function renderNavigation(frame: Frame): Markup {
  const { base } = frame;
  const path = frame.path.replace(/^\/device\b/, '/devices'); // the page of one device belongs there
  /** Also on the pages below it, such as one with a form that was refused. */
  const isCurrent = (to: string): boolean => to === path || path.startsWith(`${to}/`);
  const links = NAVIGATION.filter(([, to]) => to !== '/directory' || hasDirectory(frame)).map(
    ([name, to]) => markup`<a href="${base}${to}"${isCurrent(to) ? markup` aria-current="page"` : ''}>${name}</a>\n`,
  );
  return markup`<nav class="site-nav" aria-label="Site">${links}</nav>`;
}

const renderFooter = ({ base, user }: Frame): Markup => markup`<footer class="site-footer"><div class="bar">
<span>podsync ${manifest.version}</span>
${user && markup`<a href="${ownSubscriptions(base, user.name, 'opml')}">Subscriptions as OPML</a>`}
<a href="${base}/clientconfig.json">API</a>
</div></footer>`;
