import { load, request, requests } from './load.mjs';
import { PASSWORD } from './server.mjs';

/** Header that logs in by password. */
export const basic = (user) => ({ authorization: `Basic ${Buffer.from(`${user}:${PASSWORD}`).toString('base64')}` });

/** Header that logs in by the cookie of a new session. */
export async function logIn({ url }, user) {
  const answer = await fetch(`${url}/api/2/auth/${user}/login.json`, { method: 'POST', headers: basic(user) });
  if (answer.status !== 200) throw new Error(`${user} could not log in: ${answer.status} ${await answer.text()}`);
  const [cookie] = answer.headers.getSetCookie();
  return { cookie: cookie.split(';')[0] };
}

/** A call that is not measured: GET, or POST if there is a body. Returns the parsed response. */
export async function call({ url }, path, headers, body) {
  const answer = await fetch(url + path, { headers, ...(body && { method: 'POST', body }) });
  if (answer.status !== 200) throw new Error(`${path} was answered by ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** An action as AntennaPod writes it. Its number and minute differ in each upload. */
function toAction(upload, minute, index) {
  const show = `show-${(index * 7) % 40}`;
  return {
    podcast: `https://feeds.example.org/${show}/feed.xml`,
    episode: `https://media.example.org/${show}/2025/${upload}-${index}.mp3?source=feed`,
    guid: `8d2f6f1e-5b0a-4c58-${String(index).padStart(4, '0')}-${upload}`,
    device: 'phone',
    action: 'play',
    timestamp: `${minute}:${String(index).padStart(2, '0')}`,
    started: 15,
    position: 1835,
    total: 3600,
  };
}

const NUMBER = 'upload-number';
const MINUTE = 'upload-minute';
/** Uploads differ only in these two, so that creating one takes less time than processing it. */
const TEMPLATE = JSON.stringify(Array.from({ length: 30 }, (_, index) => toAction(NUMBER, MINUTE, index)));
const BEGIN = Date.UTC(2025, 0);
let uploads = 0;

/** 30 actions that were never there before, as JSON. */
function nextActions() {
  const minute = new Date(BEGIN + ++uploads * 60_000).toISOString().slice(0, 16);
  return TEMPLATE.replaceAll(NUMBER, String(uploads).padStart(12, '0')).replaceAll(MINUTE, minute);
}

/** The request that uploads 30 new actions. */
export const upload = (user, headers) => request('POST', `/api/2/episodes/${user}.json`, headers, nextActions());

/** Uploads 30 new actions, and returns the response. */
export const callUpload = (server, user, headers) =>
  call(server, `/api/2/episodes/${user}.json`, headers, nextActions());

/** Uploads at least this many new actions of a user, 30 at a time as clients do. */
export const fill = ({ url }, user, headers, count) =>
  load({ url, next: () => upload(user, headers), until: requests(Math.ceil(count / 30)) });
