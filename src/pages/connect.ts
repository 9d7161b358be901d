import { encode } from 'uqr';
import { deviceName } from '../domain/device.ts';
import { isLoopback } from '../domain/loopback.ts';
import type { DeviceSummary } from '../storage/stores.ts';
import type { Page } from './parts/layout.ts';
import { type Markup, markup } from './parts/markup.ts';

interface ConnectPage {
  base: string;
  name: string;
  /** Devices that apps have already registered; set if the page waits for the first sync. */
  devices?: readonly DeviceSummary[];
}

/** What to enter in each app: the home page of a user who has not synced yet, and a page of its own. */
export const renderConnect = ({ base, name, devices }: ConnectPage): Page => ({
  title: 'Connect your app',
  content: markup`<h1>Connect your app</h1>
${devices && renderWaiting(base, devices)}
<section class="card head"><div>
<h2>Enter this in your app</h2>
${renderFacts(base, name)}
${renderHints(base)}</div>
${renderQrCode(base)}</section>
<div class="columns two">
${renderAntennaPod(base, name)}
${renderGpodder(base, name)}
${renderKasts(base, name)}
${renderNextcloud(base)}
${renderOthers(base, name)}
${renderOtherServer(base)}
</div>`,
});

/** The script fetches the page every few seconds, and reloads it once this line is missing. */
function renderWaiting(base: string, devices: readonly DeviceSummary[]): Markup {
  const names = devices.map(deviceName).join(', ');
  const state =
    devices.length === 0
      ? 'No app has connected yet.'
      : `Connected: ${names}. Waiting for the first sync with subscriptions or episodes.`;
  return markup`<div class="notice" role="status" data-waiting>${state} <a href="${base}/">Refresh</a></div>`;
}

const renderFacts = (base: string, name: string): Markup =>
  markup`<dl class="facts"><dt>Server</dt><dd><code>${base}</code></dd><dt>User name</dt><dd><code>${name}</code></dd><dt>Password</dt><dd>the one you sign in with here, or an <a href="${base}/settings#app-passwords">app password</a></dd></dl>`;

function renderHints(base: string): Markup | undefined {
  const { protocol, hostname } = new URL(base);
  if (isLoopback(hostname)) {
    return markup`<p class="soft">This address works only on this computer. To connect a phone, open this page at the address of this computer on your network. The server must be reachable there: start it with <code>--host 0.0.0.0</code>.</p>`;
  }
  if (protocol !== 'http:') return undefined;
  return markup`<p class="soft">Enter the address with <code>http://</code>: without it, apps assume <code>https://</code>. Passwords are sent unencrypted.</p>`;
}

const renderAntennaPod = (base: string, name: string): Markup => markup`<section class="card"><h2>AntennaPod</h2>
<ol><li>Open <b>Settings › Synchronization</b> and choose <b>gpodder.net</b> as the provider.</li>
<li>Choose your own server, and enter <code>${base}</code></li>
<li>Enter <code>${name}</code> and your password, and tap <b>Login</b>.</li>
<li>Create a device, or choose the one that this phone used before.</li></ol>
${name.includes('+') ? markup`<p class="problem">AntennaPod does not accept a user name with a <code>+</code>.</p>` : markup`<p class="soft">The first sync starts by itself and uploads all your podcasts.</p>`}</section>`;

const renderGpodder = (base: string, name: string): Markup => markup`<section class="card"><h2>gPodder</h2>
<ol><li>Open <b>Preferences › gpodder.net</b> and switch synchronization on.</li>
<li>Server: <code>${base}</code></li>
<li>User name: <code>${name}</code>, and your password.</li>
<li>Choose <b>Replace list on server</b>: gPodder does not upload its existing podcasts on its own.</li></ol>
<p class="soft">Do not do this if your devices share one list and another one has synced already: it would remove the podcasts that gPodder does not have from all of them.</p></section>`;

const renderKasts = (base: string, name: string): Markup => markup`<section class="card"><h2>Kasts</h2>
<ol><li>Open <b>Settings › Synchronization</b>, choose <b>Login</b>, then <b>gpodder.net</b>.</li>
<li>Choose a custom server, and enter <code>${base}</code> without a slash at the end.</li>
<li>Enter <code>${name}</code> and your password.</li>
<li>Create a device, or choose the one that Kasts used before. If you link all devices, they share one list.</li></ol></section>`;

const renderNextcloud = (base: string): Markup => markup`<section class="card"><h2>Nextcloud apps</h2>
<p>GNOME Podcasts, Podcast Merlin and other apps that sync with Nextcloud also work with this server.</p>
<ol><li>Choose <b>Nextcloud</b>, and enter <code>${base}</code></li>
<li>The app opens a page of this server. Sign in there, and grant the app access.</li>
<li>If the app asks for a password, enter an <a href="${base}/settings#app-passwords">app password</a>.</li></ol></section>`;

function renderOthers(base: string, name: string): Markup {
  const { protocol, hostname, port, pathname } = new URL(base);
  const path = pathname === '/' ? undefined : markup`<dt>Path</dt><dd><code>${pathname}</code></dd>`;
  return markup`<section class="card"><h2>Other apps</h2>
<p>Choose gpodder.net or gPodder as the service, and your own server. If an app asks for the parts of the address:</p>
<dl class="facts"><dt>Protocol</dt><dd><code>${protocol.slice(0, -1)}</code></dd><dt>Host</dt><dd><code>${hostname}</code></dd>
<dt>Port</dt><dd><code>${port || (protocol === 'https:' ? '443' : '80')}</code></dd>${path}<dt>User name</dt><dd><code>${name}</code></dd></dl></section>`;
}

const renderOtherServer = (base: string): Markup => markup`<section class="card"><h2>Move from another server</h2>
<p>The administrator of this server can copy your account from gpodder.net, another server or a Nextcloud, with the command <code>podsync pull</code>.</p>
<p>If you need only your subscriptions, export them from your app as an OPML file and <a href="${base}/subscriptions/import">import it here</a>.</p></section>`;

/** A QR code of the address. Dark on light in either colour scheme, as scanners need it. */
function renderQrCode(text: string): Markup {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return markup`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of ${text}"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${dark.join('')}" shape-rendering="crispEdges"/></svg>`;
}
