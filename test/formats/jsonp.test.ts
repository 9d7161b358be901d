import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { escapeScript, parseCallback } from '../../src/formats/jsonp.ts';

describe('callback names', () => {
  it.each(['f', '_', '$', 'jQuery17_1.done', 'a.b.c', 'F2'])('%s is accepted', (name) => {
    expect(parseCallback(name)).toBe(name);
  });

  it.each([undefined, '', '2f', '.f', 'f()', 'f;g', 'a b', 'f\n', 'é', 'f-g', '<script>', 'a[0]'])(
    '%j is refused',
    (name) => {
      expect(() => parseCallback(name)).toThrow(expect.objectContaining({ code: 'invalid' }));
    },
  );
});

describe('escaped JSON', () => {
  it('is unchanged if nothing in it could end a script', () => {
    expect(escapeScript('["http://a/b"]')).toBe('["http://a/b"]');
  });

  it('stays inside its script element and on its line, and has the same value', () => {
    const list = ['</script><script>', '\u2028\u2029', '\\</', 'http://a/'];
    const script = `f(${escapeScript(JSON.stringify(list))});`;
    expect(script).not.toMatch(/<\/|[\u2028\u2029]/);
    expect(runInNewContext(`JSON.stringify(${script.slice(1, -1)})`)).toBe(JSON.stringify(list));
  });
});
