import { expect, test } from 'vitest';
import { lint, lintText } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { roll } from '../dice.js';
import { isLong } from '../long.js';
import { RIGHT_CHECK } from './mistakes/expressions.js';
import { rightFile } from './right-files.js';

const FILES = isLong ? 10_000 : 250;

test(`${FILES} random right files have no finding`, () => {
  for (let seed = 1; seed <= FILES; seed += 1) {
    const { text, catalog } = rightFile(roll(seed));
    const findings = lint(decodeSource('x.toml', Buffer.from(text)), { catalog });
    const shown = findings.map(({ rule, message }) => `${rule} ${message}`);
    expect(shown, `seed ${seed}\n${text}`).toEqual([]);
  }
}, 600_000);

test.each([
  'MATCH (requested = granted) AS a',
  'MATCH (mode != expected_mode) AS a',
  'MATCH (severity > high) AS a',
  'MATCH (mode = STEADY AND STEADY > 3) AS a',
  'MATCH (name = "A") AS a',
  'MATCH (A@GAZEBO) AS a',
  "MATCH (path = 'C:\\\\d') AS a",
  "MATCH (name = 'A') AS a, NOT (name = 'B') AS b WHEN a -> b FILTER a.time - b.time < 5s",
  "MATCH (name = 'A') AS start, (name = 'B') AS end WHEN start -> end FILTER end.time < session.start + 5s",
  "MATCH (name = 'A') AS a, (name = 'B') AS b",
  "MATCH (name = 'o' AND k GLOB 'a*') AS a, (name = 'o' AND k GLOB 'b*') AS b FILTER a.id = b.id",
  "MATCH (name = 'o' AND k = 'b') AS a, (name = 'o' AND k GLOB 'a*') AS b FILTER a.id = b.id",
  "MATCH (name = 'o' AND k IN ('x', 'y')) AS a, (name = 'o' AND k IN ('z', 'w')) AS b FILTER a.id = b.id",
  "MATCH (name = 'o' AND (k = 'b' OR k = 'c')) AS a, (name = 'o' AND (k = 'd' OR k = 'e')) AS b FILTER a.id = b.id",
])('no finding for the check %s', (check) => {
  expect(
    lintText(
      'x.toml',
      RIGHT_CHECK.replace(/'{3}.*'{3}/, () => `'''${check}'''`),
    ),
  ).toEqual([]);
});

test.each([
  "MATCH (name = 'A') AS a AGGREGATE max(a.x) - min(a.x) > 5",
  "MATCH (name = 'A') AS a AGGREGATE 5 <= count() + distinct(a.x)",
])('no finding for the precondition %s', (precondition) => {
  const text = `${RIGHT_CHECK}\n[mutation_constraints]\nmutation_precondition = "${precondition}"\n`;
  expect(lintText('x.toml', text)).toEqual([]);
});

test.each([
  ['No missing heartbeat', "(name = 'HEARTBEAT') AS h"],
  ['Never fails to land', "(name = 'LAND') AS l"],
  ['Reports not ready', "(name = 'NOT_READY') AS r"],
  ['No load is noticed', "(name = 'NO_LOAD') AS l"],
  ['Never in error state', "(name = 'STATE' AND error = FALSE) AS s"],
  ['No low battery', "(name = 'BATTERY') AS b FILTER b.level > 20"],
  ['No power, safe stop', "(name = 'STOP') AS s"],
  ['Not stuck in takeoff', "(name = 'TAKEOFF_DONE') AS t"],
])('the name %j goes with %s', (name, pattern) => {
  const text = RIGHT_CHECK.replace(/"m".*'{3}/s, () => `"${name}"\ncheck = "MATCH ${pattern}"`);
  expect(lintText('x.toml', text)).toEqual([]);
});
