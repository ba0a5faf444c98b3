import { expect, test } from 'vitest';
import { settingsIn } from '../../src/actuators/acting/index.js';

/* The values of a settings file that a mutator could change. */

const listed = (path: string, text: string) =>
  settingsIn(path, Buffer.from(text)).map(({ keys, value }) => [keys.join('.'), value]);

test.each([
  ['a.json', '{"a": {"b": 1, "c": [true, "x"]}, "n": null}'],
  ['a.toml', 'n = []\n[a]\nb = 1\nc = [true, "x"]\n'],
  ['a.yml', 'a:\n  b: 1\n  c: [true, x]\nn: ~\n'],
])('%s: each single value has its keys', (path, text) => {
  expect(listed(path, text)).toEqual([
    ...[
      ['a.b', path === 'a.toml' ? 1n : 1],
      ['a.c.0', true],
      ['a.c.1', 'x'],
    ],
  ]);
});

test('a .env file has its variables', () => {
  expect(listed('.env', '# comment\nexport A=1\nB="x y"\n')).toEqual([
    ['A', '1'],
    ['B', '"x y"'],
  ]);
});

test('a file of another format, or that is broken, is refused', () => {
  expect(() => listed('a.conf', 'x')).toThrow(
    '"a.conf" is not a file of a supported format (.json, .toml, .yaml, .env)',
  );
  expect(() => listed('a.json', '{')).toThrow('"a.json" is not JSON');
  expect(() => listed('a.toml', 'a = ')).toThrow('"a.toml" is not TOML');
  expect(() => listed('a.yaml', 'a: [')).toThrow('"a.yaml" is not YAML');
});
