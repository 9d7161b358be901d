import { episodeInfo, parsedFeed } from '../../podcasts.ts';
import { item, rss, type Sample } from './sample.ts';

const declare = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>`;
const titled = (title: string, encoding: string): string =>
  rss(`<title>${title}</title>${item('http://media.test/1.mp3')}`, declare(encoding));
const read = (title: string): Sample['expected'] =>
  parsedFeed({ title, episodes: [episodeInfo({ url: 'http://media.test/1.mp3' })] });

/** Encodes each character as one byte of its character set. */
const bytes = (text: string, table: Record<string, number>): Buffer =>
  Buffer.from([...text].map((char) => table[char] ?? char.charCodeAt(0)));
const CYRILLIC = Object.fromEntries(
  [...'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя'].map((char, at) => [char, 0xc0 + at]),
);

export const encodings: Sample[] = [
  {
    oddity: 'a UTF-8 byte order mark',
    body: `\ufeff${titled('Grüße', 'UTF-8')}`,
    expected: read('Grüße'),
  },
  {
    oddity: 'ISO-8859-1',
    body: Buffer.from(titled('Café à la carte', 'ISO-8859-1'), 'latin1'),
    expected: read('Café à la carte'),
  },
  {
    oddity: 'quotation marks of windows-1252, declared as ISO-8859-1',
    body: bytes(titled('It’s a “test” – for 5 €', 'iso-8859-1'), {
      '’': 0x92,
      '“': 0x93,
      '”': 0x94,
      '–': 0x96,
      '€': 0x80,
    }),
    expected: read('It’s a “test” – for 5 €'),
  },
  {
    oddity: 'windows-1251, declared only in the Content-Type',
    contentType: 'text/xml; charset="windows-1251"',
    body: bytes(rss(`<title>Привет, мир</title>${item('http://media.test/1.mp3')}`, ''), CYRILLIC),
    expected: read('Привет, мир'),
  },
  {
    oddity: 'Shift_JIS',
    body: Buffer.concat([
      Buffer.from(`${declare('Shift_JIS')}<rss><channel><title>`),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]),
      Buffer.from(`</title>${item('http://media.test/1.mp3')}</channel></rss>`),
    ]),
    expected: read('日本語'),
  },
  {
    oddity: 'ISO-2022-JP, whose bytes are ASCII',
    body: titled('\u001b$BF|K\\8l\u001b(B', 'ISO-2022-JP'),
    expected: read('日本語'),
  },
  {
    oddity: 'UTF-16 with a byte order mark',
    body: Buffer.from(`\ufeff${titled('日本語 😀', 'UTF-16')}`, 'utf16le'),
    expected: read('日本語 😀'),
  },
  {
    oddity: 'big-endian UTF-16 without a byte order mark',
    body: Buffer.from(titled('Ζωή', 'UTF-16'), 'utf16le').swap16(),
    expected: read('Ζωή'),
  },
  {
    oddity: 'UTF-8, declared as UTF-16',
    body: titled('naïve', 'utf-16'),
    expected: read('naïve'),
  },
  {
    oddity: 'UTF-8, declared twice as ISO-8859-1',
    contentType: 'application/rss+xml; charset=ISO-8859-1',
    body: titled('Tschüß', 'ISO-8859-1'),
    expected: read('Tschüß'),
  },
  {
    oddity: 'an unknown character set',
    contentType: 'text/xml; charset=none',
    body: titled('Ünïcode', 'x-unknown'),
    expected: read('Ünïcode'),
  },
  {
    oddity: 'windows-1252, declared as UTF-8',
    body: bytes(titled('Crème brûlée’s', 'UTF-8'), { '’': 0x92 }),
    expected: read('Crème brûlée’s'),
  },
  {
    oddity: 'windows-1252, declared as UTF-16',
    body: Buffer.from(titled('Crème brûlée', 'UTF-16'), 'latin1'),
    expected: read('Crème brûlée'),
  },
  {
    oddity: 'one invalid byte in UTF-8',
    body: Buffer.concat([
      Buffer.from(`${declare('UTF-8')}<rss><channel><title>Grüße, `),
      Buffer.from([0xff]),
      Buffer.from(` schöne</title>${item('http://media.test/1.mp3')}</channel></rss>`),
    ]),
    expected: read('Grüße, \ufffd schöne'),
  },
  ...['UTF-8', 'windows-1251'].map((encoding) => ({
    oddity: `UTF-8 that was cut within a character, declared as ${encoding} and ISO-8859-1`,
    contentType: 'text/xml; charset=ISO-8859-1',
    body: Buffer.concat([
      Buffer.from(`${declare(encoding)}<rss><channel><title>Подкаст о языках программирования и `),
      Buffer.from([0xd0]),
      Buffer.from(`...</title>${item('http://media.test/1.mp3')}</channel></rss>`),
    ]),
    expected: read('Подкаст о языках программирования и \ufffd...'),
  })),
];
