import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { escapeScript, parseCallback } from '../../src/formats/jsonp.ts';

describe('callback names', () => {
  it.each(['f', '_', '$', 'jQuery17_1.done', 'a.b.c', 'F2'])('%s passes', (name) => {
    expect(parseCallback(name)).toBe(name);
  });

  it.each([undefined, '', '2f', '.f', 'f()', 'f;g', 'a b', 'f\n', 'é', 'f-g', '<script>', 'a[0]'])(
    '%j is refused',
    (name) => {
      expect(() => parseCallback(name)).toThrow(expect.objectContaining({ code: 'invalid' }));
    },
  );
});

describe('wrapped JSON', () => {
  it('is as it was where nothing ends a script', () => {
    expect(escapeScript('["http://a/b"]')).toBe('["http://a/b"]');
  });

  it('stays inside its script element and on its line, and says the same', () => {
    const list = ['</script><script>', '\u2028\u2029', '\\</', 'http://a/'];
    const script = `f(${escapeScript(JSON.stringify(list))});`;
    expect(script).not.toMatch(/<\/|[\u2028\u2029]/);
    expect(runInNewContext(`JSON.stringify(${script.slice(1, -1)})`)).toBe(JSON.stringify(list));
  });
});
