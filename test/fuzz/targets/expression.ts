import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  type CheckResult,
  check,
  comments,
  type Expression,
  expressionRules,
  parse,
  print,
  type Role,
} from '../../../src/expression/index.js';
import type { Span } from '../../../src/source/index.js';
import { expression, withoutSpans } from '../../expression/arbitrary.js';
import { readCorpus } from '../corpus.js';
import { holdFindings, holdSpan } from '../findings.js';
import { hold, kindOf, type Target } from '../target.js';

export const TRACE_TOKENS = [
  ...['MATCH', 'AS', 'WHEN', 'FILTER', 'AGGREGATE', 'AND', 'OR', 'NOT', 'TRUE', 'FALSE', 'match'],
  ...['=', '!=', '<', '<=', '>', '>=', '->', '@', '==', '&&', '||', '=>', '<>', '--', '-', '→'],
  ...['name', 'probe', 'severity', 'a', 'b', 'x.y', '`a b`', 'a-b', 'gust', '(name = 1) AS a'],
  ...['count()', 'max(a.x)', 'mean(a.x)', 'stddev(b.y)', 'min(', 'count', 'a -> b', "'s'", '"s"'],
  ...["'", '"', '`', '\\', '\\u0041', "\\'", '\\ud800', '# note\n', '#', '(', ')', ',', '.', '()'],
  ...[
    'IN',
    'GLOB',
    'exists(',
    'abs(',
    'NEXT',
    'WITHIN',
    '10ms',
    'share(',
    'baseline(',
    'BY',
    'FOR',
    '95%',
  ],
  ...['window(a.time, 1s)', 'percentile(a.x, 99)', 'distinct(a.x)', 'session.end', '*', '/', '%'],
  ...[
    'NOT (name = 1) AS c',
    'BETWEEN',
    'LIKE',
    'HAVING',
    'UNTIL',
    'GROUP BY',
    'NOT IN',
    '[a-',
    '?',
  ],
  ...['# perturb: ignore expression/syntax', '# perturb: ignore-file expression/no-such-rule'],
];

const ROLES: readonly Role[] = ['check', 'precondition'];
const GENERATED = { seed: 1, numRuns: 60 };

/** Trace expressions: reading, checking and printing any text. */
export function expressionTarget(): Target {
  const fixtures = readCorpus(['fixtures/expression'], '.trace').flatMap((text) =>
    text.split('\n\n'),
  );
  const written = fc.sample(expression, GENERATED).map(print);
  const examples = expressionRules.flatMap(({ examples }) => Object.values(examples));
  return {
    name: 'expression',
    seeds: [...fixtures, ...examples, ...written],
    tokens: TRACE_TOKENS,
    run(text) {
      const { expression, violations } = parse(text);
      holdFindings(text, violations);
      hold((expression === undefined) === violations.length > 0, 'neither a tree nor a finding');
      for (const span of comments(text)) holdSpan(text, span, 'a comment');
      const traits = ROLES.flatMap((role) => holdCheck(text, role, expression));
      if (expression !== undefined) holdTree(text, expression);
      return traits;
    },
  };
}

function holdCheck(text: string, role: Role, expression: Expression | undefined): string[] {
  const { findings } = checkTwice(text, role, expression);
  holdFindings(text, findings);
  for (const { fix, message } of findings) {
    if (fix === undefined) continue;
    let fixed = text;
    for (const { span, text: by } of [...fix.edits].sort((a, b) => b.span.start - a.span.start)) {
      fixed = fixed.slice(0, span.start) + by + fixed.slice(span.end);
    }
    const broken = expression !== undefined && parse(fixed).expression === undefined;
    hold(!broken, `a fix breaks the expression: ${kindOf(message)}`);
    hold(fixed !== text, `a fix changes nothing: ${kindOf(message)}`);
  }
  return findings.map(({ rule, message }) => `${rule} ${kindOf(message)}`);
}

function checkTwice(text: string, role: Role, expression: Expression | undefined): CheckResult {
  const result = check(text, { role });
  hold(isDeepStrictEqual(result, check(text, { role })), 'the findings of one text differ');
  hold(isDeepStrictEqual(result.expression, expression), 'parse and check give different trees');
  return result;
}

function holdTree(text: string, expression: Expression): void {
  holdNesting(expression, { start: 0, end: text.length });
  const printed = print(expression);
  const read = parse(printed);
  hold(read.expression !== undefined, 'what is printed cannot be read');
  const same = isDeepStrictEqual(withoutSpans(read.expression), withoutSpans(expression));
  hold(same, 'what is printed reads as another tree');
  hold(print(read.expression) === printed, 'what is printed prints differently');
}

/** The span of each node lies in that of the node around it. */
function holdNesting(node: unknown, around: Span): void {
  if (typeof node !== 'object' || node === null) return;
  const { span = around } = node as { readonly span?: Span };
  hold(
    around.start <= span.start && span.start <= span.end && span.end <= around.end,
    `a node outside of the one around it: ${(node as { readonly kind?: string }).kind}`,
  );
  for (const [key, child] of Object.entries(node)) if (key !== 'span') holdNesting(child, span);
}
