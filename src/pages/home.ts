import { renderPage } from './layout.ts';
import { markup } from './markup.ts';
import { renderAppSettings } from './parts.ts';

export interface HomePage {
  /** What apps are told as the address of the server. */
  server: string;
  /** The page where anybody makes an account; undefined where nobody may. */
  register: string | undefined;
}

/** What somebody sees who opens the address of the server in a browser. */
export const renderHome = ({ server, register }: HomePage): string =>
  renderPage(
    'podsync',
    markup`<h1>podsync</h1>
<p>This server keeps podcast apps in step.</p>
${renderAppSettings({ server, name: 'the name of your account here', password: 'its password' })}
<p>${register ? markup`<a href="${register}">Make an account</a>` : ASK}</p>`,
  );

const ASK = 'Whoever runs this server can make an account for you.';
