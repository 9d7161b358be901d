import { onTestFinished } from 'vitest';
import type { ImportChunk, ImportResult } from '../../src/domain/import-chunk.ts';
import { pullAccount } from '../../src/pull/pull.ts';
import { openRemote } from '../../src/pull/remote.ts';
import type { TestServer } from '../server.ts';
import { type HistoryRules, type OtherServer, startOtherServer, type OtherAccount } from './other-server.ts';

export const AUTH = 'bob:secret';
export const feed = (n: number): string => `https://feeds.example/${n}`;
export const media = (n: number): string => `https://media.example/${n}.mp3`;

export async function open(account: OtherAccount, rules: HistoryRules = GPODDER_NET): Promise<OtherServer> {
  const other = await startOtherServer(account, rules);
  onTestFinished(() => other.close());
  return other;
}

/** Pulls the account bob on another server into bob on this one. Calls `beforeImport` before each chunk. */
export async function pull(
  { services, storage }: TestServer,
  url: string,
  beforeImport = (_chunk: ImportChunk): void => undefined,
) {
  const { id } = (await storage.users.find('bob'))!;
  const remote = openRemote({ address: url, user: 'bob', password: 'secret', userAgent: 'podsync/test', wait });
  const importChunk = (chunk: ImportChunk): Promise<ImportResult> => {
    beforeImport(chunk);
    return services.pull.importChunk(id, chunk);
  };
  return pullAccount(remote, importChunk).finally(() => remote.close());
}

/** Retries without a pause. */
const wait = async (): Promise<void> => undefined;

export const readAll = async (server: TestServer, paths: readonly string[]): Promise<unknown> => {
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const answer = await server.request('GET', path, { auth: AUTH });
    const body = (await answer.json()) as { timestamp?: unknown };
    delete body.timestamp; // differs between servers
    answers[path] = body;
  }
  return answers;
};

/** The rules of gpodder.net. */
export const GPODDER_NET: HistoryRules = { cap: 1000, by: 'own time', order: 'own time', answers: 'last delivered' };
const PLAY = { action: 'play', timestamp: '2020-01-01T00:00:00' };

/** Violates the specification in ways that real servers do. */
export const QUIRKY: OtherAccount = {
  devices: [
    { id: 'phone', caption: null, type: null, subscriptions: null },
    { id: 'a@b:c', caption: 'x'.repeat(300), type: 'toaster', subscriptions: 2 },
    { id: 7, caption: 'Seven' },
    { caption: 'none', id: null },
  ],
  subscriptions: {
    phone: [feed(1), 'HTTP://Feeds.Example/2', 'https://bob:geheim@feeds.example/3', 'feed://feeds.example/4', null],
    'a@b:c': [{ url: feed(5), title: 'Five' }, { feed: feed(6) }],
    7: [],
    gone: [feed(7)], // on a deleted device: only the list of the whole account still has it
  },
  actions: [
    { podcast: feed(1), episode: media(1), action: 'PLAY', timestamp: '2020-01-01T00:00:00.123Z', position: -1 },
    { podcast: feed(1), episode: media(2), action: 'download', timestamp: null, device: null, guid: null },
    { podcast: feed(1), episode: media(3), action: 'delete', device: 'a@b:c', timestamp: '2020-01-01T02:00:00+02:00' },
    { podcast: feed(1), episode: media(4), ...PLAY, started: 5, position: 10.5, total: null, guid: 9 },
    { podcast: feed(1), episode: media(5), ...PLAY, started: 5, position: '10', total: null },
    { podcast: feed(1), episode: media(6), action: 'tip', timestamp: '2020-01-01T00:00:00' },
    { podcast: feed(1), episode: 'https://media.example/ü.mp3', ...PLAY },
    { podcast: null, episode: null, action: 'new' },
    { podcast: feed(1), episode: media(7), ...PLAY, timestamp: 'yesterday' },
  ],
  settings: { account: {}, 'device phone': { big: 'x'.repeat(70_000), small: 1 } },
  favorites: [{ url: media(1), podcast_url: feed(1), title: 'One' }],
  lists: [
    { name: 'news', title: 'News', entries: [{ url: feed(1), title: 'x' }, feed(8), 'mailto:x'] },
    { name: 'x', title: null, entries: [] },
    { name: '-', title: '!?', entries: [] },
  ],
};
