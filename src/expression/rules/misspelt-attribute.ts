import { quote, slipsBetween } from '../../diagnostics/index.js';
import type { ExpressionRule, RuleInput } from '../rule.js';
import type { Comparison, Name } from '../tree/ast.js';

/** An attribute that is nearly `name` or `probe`, which every event has. */
export const misspeltAttribute: ExpressionRule = {
  meta: {
    id: 'expression/misspelt-attribute',
    severity: 'warning',
    summary: 'an attribute that is one slip away from `name` or `probe` is compared with a string',
    why: 'No event has the misspelt attribute, so the pattern never matches, and a check such as `count() = 0` can never fail.',
    action: 'Correct the attribute, or write it in backquotes if that is its name.',
    examples: {
      fails: "MATCH (nmae = 'CRASH') AS c",
      passes: "MATCH (name = 'CRASH') AS c",
    },
  },
  check(input, report) {
    for (const { text, span } of comparedWithStrings(input)) {
      if (NAMES.includes(text)) continue;
      const meant = NAMES.find((one) => isSlipOf(one, text));
      if (meant === undefined || input.text[span.start] === '`') continue;
      const help = `did you mean ${quote(meant)}?`;
      report({
        message: `${quote(text)} is neither "name" nor "probe", which every event has`,
        help,
        span,
      });
    }
  },
};

const NAMES = ['name', 'probe'];

/** The last names of attributes that are compared with a string, where `name` could stand. */
function comparedWithStrings({ context }: RuleInput): Name[] {
  const { inPatterns, inFilter, bound } = context;
  const found: Name[] = [];
  const add = ({ left, right }: Comparison, isWhole: (path: readonly Name[]) => boolean): void => {
    const [attribute, other] = left.kind === 'attribute' ? [left, right] : [right, left];
    if (attribute.kind !== 'attribute' || other.kind !== 'string') return;
    if (isWhole(attribute.path)) found.push(attribute.path.at(-1) as Name);
  };
  const isAlone = ({ length }: readonly Name[]) => length === 1;
  for (const leaf of inPatterns) if (leaf.kind === 'comparison') add(leaf, isAlone);
  const isOfLabel = (path: readonly Name[]) =>
    path.length === 2 && bound.has((path[0] as Name).text);
  for (const leaf of inFilter) if (leaf.kind === 'comparison') add(leaf, isOfLabel);
  return found;
}

/** In other letter cases too, which is another attribute. */
function isSlipOf(word: string, written: string): boolean {
  if (Math.abs(written.length - word.length) > 1) return false;
  return slipsBetween(written.toLowerCase(), word) <= 1;
}
