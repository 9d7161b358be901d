import type { EpisodeAction, UserRecord } from '../../../src/old-plugin.ts';

export const NOW = 1_700_000_000;
export const A = 'http://example.org/a';

export const action = (n: number): EpisodeAction => ({
  podcast: A,
  episode: `http://example.org/${n}`,
  action: 'new',
  timestamp: n,
});

/** An account with 2,500 actions on its way into a storage. `midway` is awaited before the last page. */
export async function* account(midway = async (): Promise<void> => undefined): AsyncGenerator<UserRecord[]> {
  yield [
    { kind: 'user', name: 'bob', passwordHash: 'x', createdAt: NOW, stamp: NOW + 9 },
    { kind: 'device', device: { id: 'phone', caption: '', type: 'other' }, place: 1 },
    { kind: 'subscription', device: 'phone', url: A, subscribed: true, stamp: NOW + 1, place: 1 },
  ];
  for (let n = 0; n < 2500; n += 500) {
    yield Array.from({ length: 500 }, (_, i) => ({
      kind: 'action',
      action: action(n + i),
      stamp: NOW + 9,
      uploadedAt: NOW,
    }));
  }
  await midway();
  yield [{ kind: 'session', digest: 'digest', expiresAt: NOW + 99 }];
}
