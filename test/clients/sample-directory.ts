import type { UserId } from '../../src/domain/types.ts';
import { openStorage } from '../../src/storage/open.ts';
import { recordFeed } from '../podcasts.ts';

const ALPHA = 'http://feeds.example/alpha';
const BETA = 'http://feeds.example/beta?format=rss&lang=de';
const GAMMA = 'http://feeds.example/gamma';

/** Stores a small directory in an empty data folder: podcasts and their subscribers. */
export async function createSampleDirectory(dataDir: string): Promise<void> {
  const now = (): number => Math.floor(Date.now() / 1000);
  const storage = await openStorage('json', dataDir, { dataDir, now, overlap: 120, log: () => undefined });
  const subscribe = async (name: string, urls: string[]): Promise<UserId> => {
    const { id } = await storage.users.create({ name, passwordHash: 'invalid' });
    await storage.subscriptions.replace(id, 'phone', urls);
    return id;
  };
  await subscribe('directory-ann', [ALPHA, BETA, GAMMA]);
  await subscribe('directory-ben', [ALPHA, BETA]);
  await subscribe('directory-eve', [ALPHA]);
  const alpha = {
    title: 'Alpha Hour',
    author: 'Ann & Ben',
    description: 'All about "alpha": <the> first letter.',
    website: 'http://alpha.example/',
    logoUrl: 'http://alpha.example/logo.png',
    tags: ['Science & Nature', 'Ελληνικά'],
  };
  await recordFeed(storage, ALPHA, alpha, [
    {
      url: 'http://media.example/alpha/2.mp3?from=feed',
      title: 'The second',
      description: 'More of it.',
      website: 'http://alpha.example/2',
      releasedAt: 1_700_000_000,
    },
    { url: 'http://media.example/alpha/1.mp3' },
  ]);
  await recordFeed(storage, BETA, { title: 'Beta täglich', tags: ['science-nature'] });
  await storage.close();
}
