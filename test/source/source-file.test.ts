import { expect, test } from 'vitest';
import { SourceFile } from '../../src/source/index.js';

test('a text that was not read from bytes has no BOM', () => {
  expect(new SourceFile('expression', 'MATCH').bom).toBe(false);
});

test('lines are indexed once', () => {
  const file = new SourceFile('a.toml', 'one\ntwo');
  expect(file.lines.line(2)).toBe('two');
  expect(file.lines).toBe(file.lines);
});
