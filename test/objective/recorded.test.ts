import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applyEdits, fixBytes } from '../../src/diagnostics/index.js';
import {
  check,
  type Expression,
  OWN_EVENTS,
  parse,
  print,
  type Recorded,
  recordedOf,
  visit,
} from '../../src/expression/index.js';
import { lint, lintText } from '../../src/objective/index.js';
import { decodeSource, type Span } from '../../src/source/index.js';
import { type Dice, roll } from '../dice.js';
import { isLong } from '../long.js';
import { type RightText, rightTexts, sessionOf, vocabularyIn } from './recordings.js';

const right = await rightTexts();

const known = new Map(
  right.map(({ vocabulary }) => [vocabulary, recordedOf(vocabulary, []) as Recorded]),
);

function findingsIn({ role, vocabulary }: RightText, text: string) {
  return check(text, { role, recorded: known.get(vocabulary) as Recorded }).findings;
}

test('right expressions have no findings against sessions of their systems', () => {
  expect(right.length).toBeGreaterThan(40);
  const wrong = right.flatMap((one) => {
    return findingsIn(one, one.text).map(({ message }) => `${one.from}: ${message}`);
  });
  expect(wrong).toEqual([]);
});

interface Target {
  readonly span: Span;
  readonly word: string;
}

/** The words of an expression that recordings know: names, probes, attributes, texts of few. */
function targetsIn({ text, vocabulary }: RightText): Target[] {
  const { expression } = parse(text);
  const targets: Target[] = [];
  const labels = new Set(expression?.match.patterns.map(({ label }) => label.text));
  const judged = new Set(
    [...vocabulary.texts].flatMap(([, texts]) => {
      const count = [...(texts ?? new Map()).values()].reduce((sum, one) => sum + one, 0);
      return texts !== null && count >= 4 * texts.size ? [...texts.keys()] : [];
    }),
  );
  const known = new Set(vocabulary.shapes.flatMap(({ name, probe }) => [name, probe]));
  visit(expression as Expression, {
    located({ event, probe }) {
      for (const name of [event, probe]) targets.push({ span: name.span, word: name.text });
    },
    string({ value, span }) {
      if (known.has(value) || judged.has(value)) targets.push({ span, word: value });
    },
    attribute({ path, probe }) {
      const own = labels.has(path[0]?.text ?? '') ? path.slice(1) : path;
      for (const { span, text: word } of own) {
        if (!['name', 'probe', 'time', 'session', 'start', 'end'].includes(word))
          targets.push({ span, word });
      }
      if (probe !== undefined) targets.push({ span: probe.span, word: probe.text });
    },
  });
  return targets.filter(({ word }) => word.length > 2);
}

/** A letter twice, left out, exchanged with the next, or another. */
function slip(dice: Dice, word: string): string {
  const at = 1 + dice.upTo(word.length - 3);
  const [head, one = '', two = '', tail] = [
    word.slice(0, at),
    word[at],
    word[at + 1],
    word.slice(at + 2),
  ];
  const slips = [head + one + one + two + tail, head + two + one + tail, `${head}x${two}${tail}`];
  if (word.length > 3) slips.push(head + two + tail);
  return dice.pick(slips.filter((other) => other !== word));
}

test('planted typos are found, at their words, with the right answer', () => {
  const dice = roll(25);
  const counts = { planted: 0, found: 0, answered: 0, findings: 0 };
  const notFollowed: string[] = [];
  for (let time = 0; time < (isLong ? 100 : 6); time += 1) {
    for (const one of right) {
      for (const { span, word } of targetsIn(one)) {
        const written = one.text.slice(span.start, span.end).replace(word, slip(dice, word));
        const text = one.text.slice(0, span.start) + written + one.text.slice(span.end);
        const findings = findingsIn(one, text);
        const found = findings.find((finding) =>
          covers(finding.span, { start: span.start, end: span.start + written.length }),
        );
        counts.planted += 1;
        counts.findings += findings.length;
        counts.found += Number(found !== undefined);
        const isAnswered = found?.help?.includes(word) === true;
        counts.answered += Number(isAnswered);
        if (!isAnswered || found.rule.startsWith('expression/')) continue;
        const fixed = applyEdits(text, found.fix?.edits ?? []);
        const isFollowed = canonical(fixed) === canonical(one.text);
        if (!isFollowed && !found.help?.startsWith('it is of')) notFollowed.push(fixed);
      }
    }
  }
  const { planted, found, answered, findings } = counts;
  expect(planted).toBeGreaterThan(1_000);
  expect(found / planted).toBeGreaterThanOrEqual(0.98);
  expect(answered / planted).toBeGreaterThanOrEqual(0.95);
  expect(findings / planted).toBeLessThanOrEqual(1.03);
  expect(notFollowed).toEqual([]);
}, 600_000);

function canonical(text: string): string {
  return print(parse(text).expression as Expression);
}

function covers(one: Span, other: Span): boolean {
  return one.start <= other.start && other.end <= one.end;
}

const FLIGHT = sessionOf([
  ['GAZEBO', 'GUST', { force: 13.5, id: 7 }],
  ['AUTOPILOT', 'MODE', { mode: 'HOVER', armed: true, severity: 'high' }],
  ['AUTOPILOT', 'MODE', { mode: 'LAND', armed: false, severity: '3' }],
  ['AUTOPILOT', 'BEAT', { 'span.name': 'beat', game: 'chess' }],
]);
const flight = await vocabularyIn(FLIGHT);

/** The findings for an expression: the rule, the characters, what it says. */
function told(text: string, expected: readonly string[] = []): string[] {
  const recorded = recordedOf(flight, expected) as Recorded;
  return check(text, { role: 'check', recorded }).findings.map(
    ({ rule, span, message, help }) =>
      `${rule} ${text.slice(span.start, span.end)}: ${message}; ${help}`,
  );
}

test.each([
  [
    "MATCH (name = 'GUTS') AS g",
    `unknown-name 'GUTS': no recorded event has the name "GUTS"; did you mean "GUST"?`,
  ],
  [
    "MATCH (name IN ('GUST', 'RAINFALL')) AS g",
    `unknown-name 'RAINFALL': no recorded event has the name "RAINFALL"; expected one of "MODE", "BEAT", "GUST", "perturb.injected", "perturb.reset" or "perturb.command.ended"`,
  ],
  [
    "MATCH (force > 3) AS m FILTER m.name != 'MODES'",
    `unknown-name 'MODES': no recorded event has the name "MODES"; did you mean "MODE"?`,
  ],
  [
    'MATCH (GUST @ GAZEBOO) AS g',
    `unknown-probe GAZEBOO: no recorded event is at the probe "GAZEBOO"; did you mean "GAZEBO"?`,
  ],
  [
    'MATCH (force @ GAZBO > 3) AS g',
    `unknown-probe GAZBO: no recorded event is at the probe "GAZBO"; did you mean "GAZEBO"?`,
  ],
  [
    'MATCH (GUST @ AUTOPILOT) AS g',
    `unknown-probe AUTOPILOT: no recorded event "GUST" is at the probe "AUTOPILOT"; expected "GAZEBO"`,
  ],
  [
    "MATCH (name = 'GUST' AND probe = 'AUTOPILOT') AS g",
    `unknown-probe 'AUTOPILOT': no recorded event "GUST" is at the probe "AUTOPILOT"; expected "GAZEBO"`,
  ],
  [
    "MATCH (name = 'GUST' AND froce > 3) AS g",
    `unknown-attribute froce: no recorded event that the pattern allows has the attribute "froce"; did you mean "force"?`,
  ],
  [
    "MATCH (name = 'BEAT') AS b, (name = 'GUST') AS g WHEN b -> g AGGREGATE max(b.force) < 3",
    `unknown-attribute force: no recorded event that the pattern allows has the attribute "force"; the attribute belongs to "GUST"`,
  ],
  [
    "MATCH (name = 'GUST') AS g AGGREGATE count() > 3 BY g.idd",
    `unknown-attribute idd: no recorded event that the pattern allows has the attribute "idd"; did you mean "id"?`,
  ],
  [
    "MATCH (mode = 'HOVR') AS m",
    `unknown-value 'HOVR': "mode" was never "HOVR" in a recorded event; did you mean "HOVER"?`,
  ],
  [
    'MATCH (severity >= 3) AS m',
    `kind-mismatch severity >= 3: "severity" was always a string in recorded events that the pattern allows, never a number; write '3'`,
  ],
  [
    'MATCH (armed = 1) AS m',
    `kind-mismatch armed = 1: "armed" was always a boolean in recorded events that the pattern allows, never a number; write TRUE`,
  ],
  [
    "MATCH (force = '5') AS m",
    `kind-mismatch force = '5': "force" was always a number in recorded events that the pattern allows, never a string; write 5`,
  ],
  [
    "MATCH (name = 'MODE') AS m AGGREGATE mean(m.mode) > 3",
    `kind-mismatch mean(m.mode) > 3: "mode" was always a string in recorded events that the pattern allows, never a number; use an attribute that is a number`,
  ],
  [
    'MATCH (force + mode > 5) AS m',
    `kind-mismatch force + mode > 5: "mode" was always a string in recorded events that the pattern allows, never a number; use an attribute that is a number`,
  ],
])('%s', (text, finding) => {
  expect(told(text)).toEqual([`recorded/${finding}`]);
});

test.each([
  ["MATCH (name = 'CRASH' AND impact > 3) AS c, (CRASH @ SIM) AS d WHEN c -> d", ['CRASH', 'SIM']],
  ["MATCH (mode = 'RTL') AS m", ['RTL']],
  ["MATCH (span.name = 'beat' AND game = 'chess') AS span", []],
  ["MATCH (name = 'perturb.injected' AND mutator.params.speed > 3 AND probe = 'perturb') AS i", []],
  ["MATCH (name = 'GUST' OR mode = 'LAND') AS m", []],
  ["MATCH (NOT (name = 'BEAT') AND force > 3) AS m", []],
  ["MATCH ((GUST @ GAZEBO OR mode = 'LAND') AND probe = 'AUTOPILOT') AS m", []],
  ["MATCH (probe = 'AUTOPILOT' AND NOT (GUST @ GAZEBO)) AS m", []],
  ["MATCH (time > 3) AS a, (name = 'BEAT') AS b WHEN a -> b FILTER a.time < session.end", []],
])('nothing is said of %s', (text, expected) => {
  expect(told(text, expected)).toEqual([]);
});

test('one mistake is one finding, and what one rule explains no other does', () => {
  expect(told("MATCH (nmae = 'GUST') AS g").map((one) => one.split(' ')[0])).toEqual([
    'expression/misspelt-attribute',
  ]);
  expect(told("MATCH (name = 'GUTS' AND froce > 3) AS g")).toHaveLength(1);
});

test('a comment silences a finding, and one that silences nothing is no finding without sessions', () => {
  const text = `name = "x"

[[measurement]]
name = "m"
# perturb: ignore recorded/unknown-name
check = "MATCH (name = 'GUTS') AS g"

[stopping_conditions]
attempts = 1
`;
  const recorded = recordedOf(flight, []) as Recorded;
  expect(lintText('x.toml', text, { recorded })).toEqual([]);
  expect(lintText('x.toml', text)).toEqual([]);
  const right = lintText('x.toml', text.replace('GUTS', 'GUST'), { recorded });
  expect(right.map(({ rule }) => rule)).toEqual(['ignore/unused']);
});

test.each([
  ['"', "MATCH (name = 'GUTS') AS g", "MATCH (name = 'GUST') AS g"],
  ["'", 'MATCH (name = "GUTS") AS g', 'MATCH (name = "GUST") AS g'],
  ['"', 'MATCH (GUTS @ GAZEBOO) AS g', 'MATCH (GUST @ GAZEBO) AS g'],
  [
    '"',
    "MATCH (name = 'BEAT' AND spam.name = 'beat') AS g",
    "MATCH (name = 'BEAT' AND span.name = 'beat') AS g",
  ],
  ['"', "MATCH (mode = 'HOVR' AND armed = 1) AS m", "MATCH (mode = 'HOVER' AND armed = TRUE) AS m"],
  ["'", 'MATCH (severity = 3) AS m', 'MATCH (severity = "3") AS m'],
  ['"', "MATCH (force > '5') AS m", 'MATCH (force > 5) AS m'],
])('in %s%s the suggested fixes make %s', (mark, written, right) => {
  const file = (text: string) =>
    `name = "x"\n[[measurement]]\nname = "m"\ncheck = ${mark}${text}${mark}\n[stopping_conditions]\nattempts = 1\n`;
  const recorded = recordedOf(flight, []) as Recorded;
  const find = (bytes: Uint8Array) => lint(decodeSource('x.toml', bytes), { recorded });
  const bytes = Buffer.from(file(written));
  expect(fixBytes('x.toml', bytes, find).changed).toBe(false);
  const fixed = fixBytes('x.toml', bytes, find, { suggested: true });
  expect(Buffer.from(fixed.bytes).toString()).toBe(file(right));
  expect(fixed.findings).toEqual([]);
});

test('the events that Perturb adds to sessions are known', () => {
  const sources = readdirSync('src/runner', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(`src/runner/${path}`, 'utf8'));
  const added = sources.flatMap((text) => [...text.matchAll(/'(perturb\.[a-z.]+)',/g)]);
  expect(new Set(added.map(([, name]) => name))).toEqual(new Set(OWN_EVENTS));
});
