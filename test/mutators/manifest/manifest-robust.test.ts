import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadManifest } from '../../../src/mutators/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { runs } from '../../long.js';

const good = readFileSync('fixtures/mutators/drone.mutators.toml', 'utf8').split('\n');
const bad = readFileSync('fixtures/mutators/bad.mutators.toml', 'utf8').split('\n');
const lines = [...new Set([...good, ...bad])];
const values = [
  '5',
  '1.5',
  '"x"',
  '"{x}"',
  'true',
  '[]',
  '{}',
  '[1, 2]',
  'inf',
  '2000-01-01',
  '""',
];

/** Changes one line of the good manifest: for another, for none, or in its value. */
const change = fc.record({
  at: fc.nat(good.length - 1),
  to: fc.oneof(
    fc.constantFrom(...lines).map((line) => () => line),
    fc.constant(() => ''),
    fc.constantFrom(...values).map((value) => (line: string) => line.replace(/=.*/s, `= ${value}`)),
  ),
});

test('a manifest that is changed anywhere is loaded or has errors', () => {
  const outcomes = { loaded: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const text = [...good];
      for (const { at, to } of changes) text[at] = to(text[at] as string);
      const source = decodeSource('drone.toml', Buffer.from(text.join('\n')));
      const { manifest, findings } = loadManifest(source);
      expect(manifest === undefined).toBe(findings.some(({ severity }) => severity === 'error'));
      for (const { span, file } of findings) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.start).toBeLessThanOrEqual(span.end);
        expect(span.end).toBeLessThanOrEqual(file.text.length);
      }
      if (manifest === undefined) outcomes.refused += 1;
      else outcomes.loaded += 1;
    }),
    { numRuns: runs(1_000) },
  );
  expect(outcomes.loaded).toBeGreaterThan(0);
  expect(outcomes.refused).toBeGreaterThan(0);
}, 300_000);
