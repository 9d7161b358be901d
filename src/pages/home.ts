import { renderPage } from './layout.ts';
import { registerPage } from './links.ts';
import { markup } from './markup.ts';
import { renderAppSettings } from './parts.ts';

interface HomePage {
  base: string;
  /** Whether anybody may make an account. */
  isOpen: boolean;
}

/** What somebody sees who opens the address of the server in a browser. */
export const renderHome = ({ base, isOpen }: HomePage): string =>
  renderPage(
    'podsync',
    markup`<h1>podsync</h1>
<p>This server keeps podcast apps in step.</p>
${renderAppSettings({ server: base, name: 'the name of your account here', password: 'its password' })}
<p>${isOpen ? markup`<a href="${registerPage(base)}">Make an account</a>` : ASK}</p>`,
  );

const ASK = 'Whoever runs this server can make an account for you.';
