import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createLogos } from '../../src/services/logos.ts';

const createWith = (folder: Parameters<typeof createLogos>[0]['folder']) =>
  createLogos({
    podcasts: { logoUrl: async () => 'http://example.org/logo' },
    fetcher: {
      fetchImage: () =>
        sharp({ create: { width: 9, height: 9, channels: 3, background: '#c33' } })
          .png()
          .toBuffer(),
    },
    folder,
  });

it('a kept logo that turns out to be damaged is fetched once more by whoever asks next', async () => {
  const files = new Map([['hash', Buffer.from('GIF89a, and no more')]]);
  const logos = createWith({
    read: async (name) => files.get(name),
    write: async (name, bytes) => void files.set(name, Buffer.from(bytes)),
    remove: async (name) => void files.delete(name),
  });
  expect(await logos.find('hash', 64)).toBeUndefined();
  expect((await logos.find('hash', 64))?.type).toBe('image/jpeg');
});

it('a logo is shown though there is no room to keep it', async () => {
  const logos = createWith({
    read: async () => undefined,
    write: () => Promise.reject(new Error('the disk is full')),
    remove: async () => undefined,
  });
  for (let time = 0; time < 2; time++) expect((await logos.find('hash', 64))?.type).toBe('image/jpeg');
});
