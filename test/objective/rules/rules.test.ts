import { expect, test } from 'vitest';
import { lint } from '../../../src/objective/index.js';
import { decodeSource } from '../../../src/source/index.js';

/** Each finding of an objective as its rule and the marked text. */
function findings(text: string) {
  return lint(decodeSource('x.toml', Buffer.from(text))).map(({ rule, span }) => [
    rule,
    text.slice(span.start, span.end),
  ]);
}

const MEASUREMENT = '[[measurement]]\nname = "m"\ncheck = "MATCH (name = \'a\') AS a"\n';
const STOP = '[stopping_conditions]\nattempts = 1\n';

test.each([
  ['mutator = [3, { name = "wind" }]', '3'],
  ['mutator = ["wind"]', '"wind"'],
  ['mutator = [{ name = "wind", param_constraints = [3] }]', '3'],
])('an element that is no table is one mistake: %s', (line, marked) => {
  expect(findings(`name = "x"\n${line}\n${MEASUREMENT}${STOP}`)).toEqual([
    ['objective/wrong-type', marked],
  ]);
});

test('a measurement that is no table is one mistake', () => {
  const text = `name = "x"\nmeasurement = [3, { name = "m", check = "MATCH (a = 1) AS a" }]\n${STOP}`;
  expect(findings(text)).toEqual([['objective/wrong-type', '3']]);
});

test.each([
  ['of the objective', `name = "x"\nstopping_conditions = 3\n${MEASUREMENT}`],
  ['of a measurement', `name = "x"\n${MEASUREMENT}stopping_conditions = 3\n`],
])('stopping conditions %s of a wrong type were meant to stop it', (_name, text) => {
  expect(findings(text)).toEqual([['objective/wrong-type', '3']]);
});

test.each([
  ['attempts = 2', false],
  ['failing_measurements = 2', true],
  ['passing_measurements = 3', true],
  ['failing_measurements = 1', false],
])('of a measurement that stops with %s', (line, isReported) => {
  const text = `name = "x"\n${MEASUREMENT}[measurement.stopping_conditions]\n${line}\n${STOP}`;
  const rules = findings(text).map(([rule]) => rule);
  expect(rules.includes('objective/unreachable-stopping-condition')).toBe(isReported);
});

test.each([
  ['range = [1, 2]\nenum_options = ["a"]', 'enum_options', 'range'],
  ['enum_options = ["a"]\nrange = [1, 2]', 'range', 'enum_options'],
])('of %j the second is marked, and the first is shown beside it', (lines, marked, other) => {
  const text = `name = "x"\n[[mutator]]\nname = "w"\n[[mutator.param_constraints]]\nname = "p"\n${lines}\n${MEASUREMENT}${STOP}`;
  const found = lint(decodeSource('x.toml', Buffer.from(text))).map(({ rule, span, related }) => [
    rule,
    text.slice(span.start, span.end),
    related?.map((one) => text.slice(one.span.start, one.span.end)),
  ]);
  expect(found).toEqual([['objective/range-and-options', marked, [other]]]);
});

test.each(['[true, false]', '[true, 5]', '[5, true]', '["a", 5]'])(
  'the range %s has no two bounds of one kind',
  (range) => {
    const text = `name = "x"\n[[mutator]]\nname = "w"\n[[mutator.param_constraints]]\nname = "p"\nrange = ${range}\n${MEASUREMENT}${STOP}`;
    const [first, second] = range.slice(1, -1).split(', ');
    expect(lint(decodeSource('x.toml', Buffer.from(text)))).toMatchObject([
      {
        rule: 'objective/invalid-range',
        message: `expected two numbers or two strings as bounds, found ${first} and ${second}`,
      },
    ]);
  },
);

test('the precondition of one mutator asks for something that has happened too', () => {
  const text = `name = "x"\n[[mutator]]\nname = "w"\nmutation_precondition = "MATCH (name = 'a') AS a AGGREGATE count() = 0"\n${MEASUREMENT}${STOP}`;
  expect(findings(text)).toEqual([['expression/aggregate-in-precondition', 'count() = 0']]);
});

test('tables without a readable name are no duplicates', () => {
  const unnamed = MEASUREMENT.replace('"m"', '3');
  expect(findings(`name = "x"\n${unnamed}${unnamed}${STOP}`)).toEqual([
    ['objective/wrong-type', '3'],
    ['objective/wrong-type', '3'],
  ]);
});

test('a constraint without a name is one mistake', () => {
  const text = `name = "x"\n[[mutator]]\nname = "w"\n[[mutator.param_constraints]]\n${MEASUREMENT}${STOP}`;
  expect(findings(text)).toEqual([['objective/missing-key', '[[mutator.param_constraints]]']]);
});

test('options that cannot be read are no duplicates', () => {
  const text = `name = "x"\n[[mutator]]\nname = "w"\n[[mutator.param_constraints]]\nname = "p"\nenum_options = [3, 4]\n${MEASUREMENT}${STOP}`;
  expect(findings(text)).toEqual([
    ['objective/wrong-type', '3'],
    ['objective/wrong-type', '4'],
  ]);
});

test.each(['rnge = [1, 2]', 'enum_optoins = ["a"]'])(
  'a constraint that says %s is misspelt, not empty',
  (line) => {
    const text = `name = "x"\n[[mutator]]\nname = "w"\n[[mutator.param_constraints]]\nname = "p"\n${line}\n${MEASUREMENT}${STOP}`;
    expect(findings(text)).toEqual([['objective/unknown-key', line.split(' ')[0]]]);
  },
);
