import { expect, it } from 'vitest';
import { logoHash } from '../../src/domain/logo.ts';
import { Memory } from '../../src/storage/directory/memory.ts';
import { newPodcast } from '../../src/storage/directory/podcast.ts';
import { feed } from './suite/samples.ts';

it('a logo is looked up without reading the podcasts that have not changed', () => {
  const memory = new Memory();
  let reads = 0;
  const put = (n: number, logo: string): void => {
    const podcast = newPodcast(feed(n), 0);
    const get = (): string => {
      reads += 1;
      return logo;
    };
    memory.put(Object.defineProperty(podcast, 'logoUrl', { get }), n);
  };
  const urlsWith = (logo: string): string[] => memory.withLogo(logoHash(logo)).map(({ url }) => url);
  for (let n = 1; n <= 100; n += 1) put(n, 'old');
  expect(urlsWith('old')).toHaveLength(100);
  reads = 0;
  put(1, 'new');
  expect(urlsWith('new')).toEqual([feed(1)]);
  expect(urlsWith('old')).toHaveLength(99);
  expect(reads).toBeLessThan(10);
});
