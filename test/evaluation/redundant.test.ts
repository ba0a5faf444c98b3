import { expect, test } from 'vitest';
import type { Finding } from '../../src/diagnostics/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { check, type Expression, parse } from '../../src/expression/index.js';
import { type Dice, roll } from '../dice.js';
import { isLong } from '../long.js';
import { randomSession } from './random.js';
import { toSession } from './to-session.js';

/* What lint claims of comparisons that stand beside each other, held against random sessions. */

const COMPARATORS = ['=', '!=', '<', '<=', '>', '>='];

/** Comparisons of few attributes with few values and each other, so that they meet. */
function randomText(dice: Dice): string {
  const value = () => dice.pick(['0', '1', '1.5', '2', '3', "'u'", "'v'", 'TRUE']);
  const compared = (attribute: string) => `${attribute} ${dice.pick(COMPARATORS)} ${value()}`;
  const group = (one: () => string, fewest = 1): string => {
    const parts = Array.from({ length: fewest + dice.upTo(2) }, one);
    return `(${parts.join(dice.pick([' AND ', ' OR ']))})`;
  };
  const named = () =>
    dice.pick([compared('x'), compared('y'), `name ${dice.pick(['=', '!='])} 'A'`]);
  const attribute = () => dice.pick(['a.x', 'a.y', 'b.x', 'b.time - a.time']);
  const ofLabels = () =>
    dice.pick([
      () => compared(attribute()),
      () => `a.x ${dice.pick(COMPARATORS)} ${dice.pick(['b.x', 'b.y', 'a.y'])}`,
      () => `b.x ${dice.pick(COMPARATORS)} ${dice.pick(['a.x', 'a.y'])}`,
    ])();
  const measure = () =>
    dice.pick([
      () =>
        `${dice.pick(['count()', 'min(a.x)', 'max(a.x)', 'mean(a.x)', 'percentile(a.x, 50)'])} ${dice.pick(COMPARATORS)} ${dice.upTo(3)}`,
      () =>
        `${dice.pick(['min', 'max', 'mean'])}(a.x) ${dice.pick(COMPARATORS)} ${dice.pick(['min', 'max', 'mean'])}(a.x)`,
    ])();
  const conjuncts = Array.from({ length: 1 + dice.upTo(3) }, () =>
    dice.upTo(3) === 0 ? group(ofLabels, 2) : ofLabels(),
  );
  const when = dice.pick([
    '',
    ' WHEN a -> b',
    ' WHEN a -> b WITHIN 2ns',
    ' WHEN a -> b AND a != b',
  ]);
  const measures = Array.from({ length: 1 + dice.upTo(1) }, measure);
  return `MATCH ${group(named)} AS a, ${group(named)} AS b${when} FILTER ${conjuncts.join(' AND ')} AGGREGATE ${measures.join(', ')}`;
}

function answer(text: string, session: ReturnType<typeof toSession>['session']) {
  const { expression } = parse(text);
  if (expression === undefined) throw new Error(`cannot be read: ${text}`);
  return evaluate(session, expression as Expression, { count: true });
}

/** Without a part, and the word or comma that joins it to the others. */
function without(text: string, { span: { start, end } }: Finding): string {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const joined = / AND $| OR $|, $/.exec(before);
  if (joined) return before.slice(0, joined.index) + after;
  const next = /^(?: AND | OR |, )/.exec(after);
  if (next) return before + after.slice(next[0].length);
  return before.replace(/ FILTER $/, '') + after;
}

/** What no event satisfies, if every number, text or all that there is satisfies the alternatives. */
function counterexample(text: string, { message, span }: Finding): string {
  const [, what, parts = ''] = /^(every \w+|everything) satisfies "(.*)"$/.exec(message) ?? [];
  const attribute = /^(.*?) (?:[=<>]|!=)/.exec(parts)?.[1] ?? '';
  const isOf: Record<string, string> = {
    'every number': ` AND (${attribute} <= 0 OR ${attribute} >= 0)`,
    'every text': ` AND ${attribute} >= ''`,
    'every boolean': ` AND ${attribute} IN (TRUE, FALSE)`,
    everything: '',
  };
  const wrong = `NOT (${parts})${isOf[what ?? '']}`;
  return span.start > text.indexOf(' FILTER ')
    ? `MATCH (name != '') AS a, (name != '') AS b FILTER ${wrong}`
    : `MATCH (${wrong}) AS a`;
}

const SEEDS = isLong ? 6_000 : 300;

test('what is called redundant changes nothing, and what contradicts is false', {
  timeout: 300_000,
}, () => {
  const wrong: string[] = [];
  const found = { redundant: 0, all: 0, contradiction: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const dice = roll(seed);
    const text = randomText(dice);
    const { findings } = check(text, { role: 'check' });
    if (findings.some(({ severity }) => severity === 'error')) continue;
    const { session } = toSession(randomSession(dice));
    const whole = answer(text, session);
    for (const finding of findings) {
      const isInOr = / OR /.test(text.slice(0, finding.span.end).split(/[(]/).at(-1) ?? '');
      if (finding.rule === 'expression/always-false' && !isInOr) {
        found.contradiction += 1;
        if (whole.status !== 'fails' && whole.bindings !== '0') wrong.push(`false: ${text}`);
      } else if (/ adds nothing| appears here twice$/.test(finding.message)) {
        found.redundant += 1;
        const rest = answer(without(text, finding), session);
        if (rest.bindings !== whole.bindings || rest.status !== whole.status) {
          wrong.push(`redundant: ${finding.message} in ${text}`);
        }
      } else if (/^every.* OR /.test(finding.message)) {
        found.all += 1;
        const other = answer(counterexample(text, finding), session);
        if (other.bindings !== '0') wrong.push(`all: ${finding.message} in ${text}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(found.redundant).toBeGreaterThan(SEEDS / 12);
  expect(found.all).toBeGreaterThan(SEEDS / 60);
  expect(found.contradiction).toBeGreaterThan(SEEDS / 12);
});
