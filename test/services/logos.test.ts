import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createLogos } from '../../src/services/logos.ts';

it('a kept logo that turns out to be damaged is fetched once more by whoever asks next', async () => {
  const files = new Map([['hash', Buffer.from('GIF89a, and no more')]]);
  const logos = createLogos({
    podcasts: { logoUrl: async () => 'http://example.org/logo' },
    fetcher: {
      fetchImage: () =>
        sharp({ create: { width: 9, height: 9, channels: 3, background: '#c33' } })
          .png()
          .toBuffer(),
    },
    folder: {
      read: async (name) => files.get(name),
      write: async (name, bytes) => void files.set(name, Buffer.from(bytes)),
      remove: async (name) => void files.delete(name),
    },
  });
  expect(await logos.find('hash', 64)).toBeUndefined();
  expect((await logos.find('hash', 64))?.type).toBe('image/jpeg');
});
