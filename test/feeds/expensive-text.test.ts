import { expect, it } from 'vitest';
import { plainText } from '../../src/feeds/text.ts';

it.each(['é', '&', 'a:', '<![CDATA['])('reads many texts with an endless tag of %s in linear time', (part) => {
  const text = `<a${part.repeat(100_000 / part.length)}`;
  for (let n = 0; n < 20; n += 1) expect(plainText(text, 20)).toMatch(/^<a/);
});
