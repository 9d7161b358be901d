#!/usr/bin/env node
/*
 * Checks whether a server of the gpodder.net interface loses changes when several apps sync at the same moment:
 *
 *   node lossless.mjs https://podcasts.example.org USER PASSWORD [PAUSE]
 *
 * Three modelled apps sync together, 20 times, with a pause of one second (or PAUSE seconds) in between. Each of them
 * downloads, uploads one new subscription and two new plays, one of which happened offline an hour ago, and keeps the
 * timestamp that its original keeps. At the end each must have received everything that the other two uploaded.
 *
 * Use an account made for it: feeds of example.org and three devices remain. Exits with 0 if nothing was lost, with 1 if
 * something was, and with 2 if the server could not be checked. "repeated" counts what an app received again; apps ignore
 * that.
 */

import { setTimeout } from 'node:timers/promises';

const ROUNDS = 20;

const newest = (download, upload) => upload ?? download;

/** Which timestamp each app sends as `since` next time; `upload` is undefined if it uploaded nothing. */
const APPS = {
  AntennaPod: { subscriptions: newest, episodes: newest },
  gPodder: { subscriptions: newest, episodes: (download) => download },
  Kasts: {
    subscriptions: (download, upload) => newest(download, upload) + 1,
    episodes: (download, upload) => newest(download, upload) + 1,
  },
};

const [server, user, password, pause = '1'] = process.argv.slice(2);
/** Distinguishes the changes of this run from those of earlier ones. */
const run = Date.now().toString(36);

async function request(method, path, body) {
  const response = await fetch(`${server.replace(/\/$/, '')}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 200)}`);
  return text === '' ? undefined : JSON.parse(text);
}

class App {
  since = { subscriptions: 0, episodes: 0 };
  uploaded = { subscriptions: [], episodes: [] };
  received = { subscriptions: [], episodes: [] };

  constructor(name) {
    this.name = name;
    this.device = `lossless-${name.toLowerCase()}`;
  }

  /** One sync, which uploads new changes if there are any. */
  async sync({ feeds = [], episodes = [] } = {}) {
    const subscriptionsPath = `/api/2/subscriptions/${user}/${this.device}.json`;
    await this.#exchange('subscriptions', subscriptionsPath, {
      urlsOf: ({ add }) => add,
      urls: feeds,
      body: { add: feeds, remove: [] },
    });
    await this.#exchange('episodes', `/api/2/episodes/${user}.json`, {
      urlsOf: ({ actions }) => actions.map(({ episode }) => episode),
      urls: episodes,
      body: episodes.map((episode, index) => this.#play(episode, index * 3600)),
    });
  }

  async #exchange(kind, path, { urlsOf, urls, body }) {
    const download = await request('GET', `${path}?since=${this.since[kind]}`);
    this.received[kind].push(...urlsOf(download).filter((url) => url.includes(`/${run}/`)));
    const upload = urls.length > 0 ? await request('POST', path, body) : undefined;
    this.uploaded[kind].push(...urls);
    this.since[kind] = APPS[this.name][kind](download.timestamp, upload?.timestamp);
  }

  /** `ago` in seconds: a play that an app reports late. */
  #play(episode, ago) {
    return {
      podcast: `https://example.org/${run}/feed.xml`,
      episode,
      device: this.device,
      action: 'play',
      timestamp: new Date(Date.now() - ago * 1000).toISOString().slice(0, 19),
      started: 0,
      position: 60,
      total: 600,
    };
  }
}

/** Gives all devices the same subscriptions, if the server does not do that by itself. */
async function linkDevices(apps) {
  for (const { name, device } of apps) {
    await request('POST', `/api/2/devices/${user}/${device}.json`, { caption: `lossless ${name}`, type: 'other' });
  }
  const synchronize = [apps.map(({ device }) => device)];
  const link = request('POST', `/api/2/sync-devices/${user}.json`, { synchronize, 'stop-synchronize': [] });
  await link.catch(() => undefined); // a server without this path may share them anyway
}

/** What one app received of the changes that the others uploaded. */
function count(app, apps, kind) {
  const sent = apps.filter((each) => each !== app).flatMap(({ uploaded }) => uploaded[kind]);
  const received = app.received[kind].filter((url) => sent.includes(url));
  const distinct = new Set(received);
  return {
    app: app.name,
    changes: kind,
    received: distinct.size,
    lost: sent.length - distinct.size,
    repeated: received.length - distinct.size,
  };
}

async function check() {
  const apps = Object.keys(APPS).map((name) => new App(name));
  await linkDevices(apps);
  for (let round = 0; round < ROUNDS; round++) {
    const changesOf = ({ device }) => {
      const base = `https://example.org/${run}/${device}-${round}`;
      return { feeds: [`${base}.xml`], episodes: [`${base}-a.mp3`, `${base}-b.mp3`] };
    };
    await Promise.all(apps.map((app) => app.sync(changesOf(app))));
    await setTimeout(Number(pause) * 1000);
  }
  // Now one after another, without uploads: what an app has not received after that is lost.
  for (const app of [...apps, ...apps]) await app.sync();
  return ['subscriptions', 'episodes'].flatMap((kind) => {
    const rows = apps.map((app) => count(app, apps, kind));
    if (rows.some(({ received }) => received > 0)) return rows;
    console.log(`This server does not share ${kind} between devices.`);
    return [];
  });
}

if (!password) {
  console.error('Usage: node lossless.mjs URL USER PASSWORD [PAUSE]');
  process.exitCode = 2;
} else {
  try {
    const rows = await check();
    console.table(rows);
    const lost = rows.reduce((sum, row) => sum + row.lost, 0);
    console.log(lost === 0 ? 'Nothing was lost.' : `${lost} ${lost === 1 ? 'change was' : 'changes were'} lost.`);
    process.exitCode = lost === 0 ? 0 : 1;
  } catch (error) {
    console.error(`${server} could not be checked: ${error.cause?.message ?? error.message}`);
    process.exitCode = 2;
  }
}
