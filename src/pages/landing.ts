import { renderNotice } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { registerPage } from './parts/links.ts';
import { markup } from './parts/markup.ts';
import { renderNoAccount } from './parts/no-account.ts';

interface LandingPage {
  base: string;
  /** Whether anybody may create an account. */
  isOpen: boolean;
  isNew: boolean;
  notice: string | undefined;
}

/** The home page for visitors who are not signed in. */
export const renderLanding = ({ base, isOpen, isNew, notice }: LandingPage): Page => ({
  title: 'Your podcasts, in sync',
  isNarrow: true,
  content: markup`<div class="welcome">${renderNotice(notice)}<h1>Your podcasts, in sync</h1>
<p class="lead">This server keeps your podcast apps in sync: subscriptions, what you have played, and where you stopped.</p>
<p class="actions"><a class="button" href="${base}/login">Sign in</a>${isOpen ? markup`<a class="button plain" href="${registerPage(base)}">Create an account</a>` : ''}</p>
${isOpen ? '' : markup`<p class="soft">${renderNoAccount(isNew)}</p>`}
<h2>Connect an app</h2>
<p>In the sync settings of your podcast app, choose gpodder.net and enter:</p>
<dl class="facts"><dt>Server</dt><dd><code>${base}</code></dd><dt>User name</dt><dd>your user name on this server</dd><dt>Password</dt><dd>your password on this server</dd></dl></div>`,
});
