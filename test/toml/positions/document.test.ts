import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../../src/source/index.js';
import { parseToml, type TomlDocument, type TomlPath } from '../../../src/toml/index.js';

function read(text: string): TomlDocument {
  const { document, violations } = parseToml(new SourceFile('a.toml', text));
  expect(violations).toEqual([]);
  return document as TomlDocument;
}

/** The texts of the key and the value at a path. */
function places(document: TomlDocument, path: TomlPath): string[] {
  return [document.keySpan(path), document.valueSpan(path)].map((span) =>
    document.file.text.slice(span.start, span.end),
  );
}

describe('places', () => {
  it.each<[string, TomlPath, string, string]>([
    ['name = "wind"', ['name'], 'name', '"wind"'],
    ['"na\\u006de" = 1 # x', ['name'], '"na\\u006de"', '1'],
    ["'a b' . c = true", ['a b', 'c'], 'c', 'true'],
    ["'a b' . c = true", ['a b'], "'a b'", "'a b'"],
    ['[ a . b ]\nx=1', ['a'], 'a', 'a'],
    ['[ a . b ]\nx=1', ['a', 'b'], 'b', '[ a . b ]'],
    ['[ a . b ]\nx=1', ['a', 'b', 'x'], 'x', '1'],
    ['[a.b]\n[a] # late', ['a'], 'a', '[a]'],
    ['[[a]]\n[[ "a" ]]\n[a.b]\n', ['a'], 'a', '[[a]]'],
    ['[[a]]\n[[ "a" ]]\n[a.b]\n', ['a', 1], '"a"', '[[ "a" ]]'],
    ['[[a]]\n[[ "a" ]]\n[a.b]\n', ['a', 1, 'b'], 'b', '[a.b]'],
    ['[[a]]\n[[a.b]]\n[[a]]\n[[a.b]]\n[[a.b]]\nx=7', ['a', 1, 'b', 1, 'x'], 'x', '7'],
    ['a = { b.c = 1, \n d = [2, { e = 3 }, # x ] }\n], }', ['a', 'b'], 'b', 'b'],
    ['a = { b.c = 1, \n d = [2, { e = 3 }, # x ] }\n], }', ['a', 'b', 'c'], 'c', '1'],
    ['a = { b = 1, c = [2, { e = 3 }, # ] }\n], }', ['a', 'c'], 'c', '[2, { e = 3 }, # ] }\n]'],
    ['a = { b = 1, c = [2, { e = 3 }, # ] }\n], }', ['a', 'c', 1], '{ e = 3 }', '{ e = 3 }'],
    ['a = { b = 1, c = [2, { e = 3 }, # ] }\n], }', ['a', 'c', 1, 'e'], 'e', '3'],
    ['a = [\r\n  1, 2,\r\n]\r\n', ['a', 1], '2', '2'],
    ['a = 1979-05-27 07:32:00.5-07:00 # x', ['a'], 'a', '1979-05-27 07:32:00.5-07:00'],
    ['a = 1979-05-27 # x', ['a'], 'a', '1979-05-27'],
    ['a = [07:32, -inf,+1_0.0e-5]', ['a', 0], '07:32', '07:32'],
    ['a = [07:32, -inf,+1_0.0e-5]', ['a', 1], '-inf', '-inf'],
    ['a = [07:32, -inf,+1_0.0e-5]', ['a', 2], '+1_0.0e-5', '+1_0.0e-5'],
    ['a = [1979- 1-"7, "x"] # the library takes this', ['a', 0], '1979- 1-"7', '1979- 1-"7'],
    ['a = [1979- 1-"7, "x"]', ['a', 1], '"x"', '"x"'],
    ['a.b.c = 1', ['a', 'b'], 'b', 'b'],
    ['[a.b.c]', ['a', 'b'], 'b', 'b'],
    ["a = ''''''''\n", ['a'], 'a', "''''''''"],
    ['a = """x\\""""\nb=1', ['a'], 'a', '"""x\\""""'],
    ['__proto__.x = 1', ['__proto__', 'x'], 'x', '1'],
    ['a = 1', ['a', 'b', 2], 'a', '1'],
    ['a = 1', ['toString'], 'a = 1', 'a = 1'],
  ])('%j at %j', (text, path, key, value) => {
    expect(places(read(text), path)).toEqual([key, value]);
  });

  it('the root is the first line, without its end', () => {
    expect(read('').valueSpan([])).toEqual({ start: 0, end: 0 });
    expect(read('\n# x\n').valueSpan([])).toEqual({ start: 0, end: 0 });
    expect(read('# first\r\na = 1').valueSpan([])).toEqual({ start: 0, end: 7 });
  });
});
