import type { BackupRecord } from '../../src/formats/backup/record.ts';
import { episodeInfo, podcastInfo } from '../podcasts.ts';

const FEED = 'https://feeds.example/1';

/** Every kind of record in order, with and without optional keys, and with unusual texts. */
export const RECORDS: readonly BackupRecord[] = [
  { kind: 'user', name: 'alice', email: 'alice@example.org', passwordHash: '$2b$10$x', createdAt: 1, stamp: 9 },
  { kind: 'device', device: { id: 'phone', caption: 'Büro 📱 \u2028 \u0000 \ud800', type: 'mobile' }, place: 2 },
  { kind: 'device', device: { id: 'tv', caption: '', type: 'other' }, place: 1 },
  { kind: 'group', devices: ['phone', 'tv'] },
  { kind: 'subscription', device: 'phone', url: FEED, subscribed: true, stamp: 3, place: 1 },
  { kind: 'subscription', device: 'tv', url: FEED, subscribed: false, stamp: 5, place: 2 },
  {
    kind: 'action',
    action: {
      podcast: FEED,
      episode: `${FEED}.mp3`,
      device: 'phone',
      guid: 'a "guid" \\ "crc":"00000000"}',
      action: 'play',
      timestamp: 7,
      play: { position: 3, started: 0, total: 10 },
    },
    stamp: 7,
    uploadedAt: 8,
  },
  {
    kind: 'action',
    action: { podcast: FEED, episode: `${FEED}.mp3`, action: 'new', timestamp: 7 },
    stamp: 9,
    uploadedAt: 8,
  },
  {
    kind: 'settings',
    scope: { kind: 'account' },
    values: [
      ['10', { b: [1.5, null, 'x'], a: {} }],
      ['__proto__', true],
      ['1', ''],
    ],
  },
  { kind: 'settings', scope: { kind: 'device', device: 'phone' }, values: [['a', 1]] },
  { kind: 'settings', scope: { kind: 'podcast', podcast: FEED }, values: [['a', 1]] },
  { kind: 'settings', scope: { kind: 'episode', podcast: FEED, episode: `${FEED}.mp3` }, values: [['a', 1]] },
  { kind: 'list', list: { name: 'best', title: 'Best', urls: [FEED] } },
  {
    kind: 'appPassword',
    digest: 'abc',
    label: 'Phone',
    device: 'app-1',
    createdAt: 90,
    usedAt: 95,
    address: '192.0.2.1',
    app: 'AntennaPod/3',
  },
  { kind: 'session', digest: 'abc', expiresAt: 100 },
  { kind: 'user', name: 'bob', createdAt: 1, stamp: 1 },
  { kind: 'tag', tag: 'news', title: 'News' },
  {
    kind: 'podcast',
    url: FEED,
    info: podcastInfo({ title: 'One', language: 'en', tags: ['News'], blocked: true }),
    feed: { etag: 'x', lastModified: 'y', intervalSeconds: 3600, failures: 1, nextAt: 5, fetchedAt: 4, error: 'no' },
    formerUrls: ['https://feeds.example/old'],
  },
  {
    kind: 'episode',
    episode: {
      ...episodeInfo({ url: `${FEED}.mp3`, guid: 'g', releasedAt: -5, duration: 60 }),
      stamp: 3,
      formerUrls: [],
    },
  },
  {
    kind: 'podcast',
    url: 'https://feeds.example/2',
    info: podcastInfo({ logoUrl: 'https://l.example/' }),
    feed: { intervalSeconds: 3600, failures: 0 },
    formerUrls: [],
  },
  { kind: 'toplist', at: 1, urls: [FEED] },
];
