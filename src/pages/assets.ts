import { hash } from 'node:crypto';
import { runPlayer } from './browser/player.js';
import { runInBrowser } from './browser/script.js';
import { STYLE } from './style.ts';

/** A file that pages use. Its name changes with its content, so browsers can cache it permanently. */
interface Asset {
  name: string;
  type: string;
  body: string;
}

function createAsset(name: string, extension: string, type: string, body: string): Asset {
  return { name: `${name}-${hash('sha256', body, 'base64url').slice(0, 12)}.${extension}`, type, body };
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="14" fill="#3949ab"/>
<g fill="none" stroke="#fff" stroke-width="4.5" stroke-linecap="round"><path d="M18 41a18 18 0 1 1 28 0"/><path d="M24.5 35.5a10 10 0 1 1 15 0"/></g>
<circle cx="32" cy="30" r="4.5" fill="#fff"/><path d="M29.5 38h5l-1.2 14h-2.6z" fill="#fff" stroke="#fff" stroke-width="2.5" stroke-linejoin="round"/>
</svg>
`;

export const styleSheet = createAsset('style', 'css', 'text/css; charset=utf-8', STYLE);
export const script = createAsset(
  'script',
  'js',
  'text/javascript; charset=utf-8',
  [runInBrowser, runPlayer].map((run) => `(${run})();\n`).join(''),
);
export const icon = createAsset('icon', 'svg', 'image/svg+xml', ICON);

/** All assets by name. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([styleSheet, script, icon].map((each) => [each.name, each]));

/** The web app manifest. Addresses are relative, for a server below a sub-path. */
export const MANIFEST = JSON.stringify({
  name: 'podsync',
  short_name: 'podsync',
  description: 'Your podcasts, in sync on all devices',
  start_url: './',
  scope: './',
  display: 'standalone',
  background_color: '#f7f7fa',
  theme_color: '#3949ab',
  icons: [{ src: `assets/${icon.name}`, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
});

/** Pages use only files and images of this server; media comes from the podcast's host. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "form-action 'self'",
  "img-src 'self' data:",
  "manifest-src 'self'",
  'media-src http: https:',
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
