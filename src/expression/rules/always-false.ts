import { type Finding, quote } from '../../diagnostics/index.js';
import { cover, type Span } from '../../source/index.js';
import type { Measure } from '../ast.js';
import { type Contradiction, certainFacts, contradictions, Facts } from '../contradictions.js';
import type { Nature, Stated } from '../domain.js';
import type { Fact } from '../facts.js';
import type { ExpressionRule } from '../rule.js';
import type { Scope } from '../scope.js';
import type { Said } from '../survey.js';
import type { Tree } from '../tree.js';

/** A condition that nothing satisfies. */
export const alwaysFalse: ExpressionRule = {
  meta: {
    id: 'expression/always-false',
    severity: 'warning',
    summary: 'a condition that nothing satisfies',
    why: 'The expression can never be true because of it, so the measurement says nothing about the system.',
    action: 'Correct the values, or write OR where AND was not meant.',
    examples: {
      fails: 'MATCH (severity > 5 AND severity < 3) AS f',
      passes: 'MATCH (severity > 3 AND severity < 5) AS f',
    },
  },
  check({ text, tree, survey }) {
    const { inPatterns, inFilter, inAggregate, scope } = survey;
    if (!mayContradict([...inPatterns, ...inFilter, ...inAggregate])) return [];
    return [
      ...patternContradictions(tree),
      ...filterContradictions(tree, scope),
      ...measureContradictions(inAggregate),
    ].map((contradiction) => describe(text, contradiction, tree));
  },
};

/** Most expressions speak once of each subject, and say nothing that is false alone. */
function mayContradict(all: readonly Said[]): boolean {
  const subjects = new Set<string>();
  for (const { saying } of all) {
    if (saying.kind === 'constant' && !saying.holds) return true;
    if (saying.kind !== 'facts') continue;
    for (const { subject, stated } of saying.facts) {
      if (subjects.has(subject.key) || mayRefute(stated, subject.nature)) return true;
      subjects.add(subject.key);
    }
  }
  return false;
}

/** A number goes with all that is known of most subjects, and a string but for `< ''`. */
function mayRefute({ kind, comparator }: Stated, nature: Nature): boolean {
  const order = comparator !== '=' && comparator !== '!=';
  return nature.least !== undefined || kind === 'boolean' || (kind === 'string' && order);
}

function patternContradictions({ match }: Tree): Contradiction[] {
  return (match?.patterns ?? []).flatMap(({ condition, label }) =>
    contradictions(condition, { kind: 'pattern', label: label.text }),
  );
}

/** FILTER by itself, and together with what the patterns ask of the events. */
function filterContradictions(tree: Tree, scope: Scope): Contradiction[] {
  if (tree.filter === undefined) return [];
  const known = new Facts();
  for (const { condition, scope } of patternsOf(tree)) {
    for (const fact of certainFacts(condition, scope)) known.add(fact);
  }
  return contradictions(tree.filter.condition, scope, known);
}

/** The patterns whose label stands for them alone. */
function patternsOf({ match, labels }: Tree) {
  const uses = new Map<string, number>();
  for (const { text } of labels) uses.set(text, (uses.get(text) ?? 0) + 1);
  return (match?.patterns ?? [])
    .filter(({ label }) => uses.get(label.text) === 1)
    .map(({ condition, label }) => {
      const scope: Scope = { kind: 'pattern', label: label.text };
      return { condition, scope };
    });
}

function measureContradictions(measures: readonly Said<Measure>[]): Contradiction[] {
  const facts = new Facts();
  return measures.flatMap(({ node, saying }): Contradiction[] => {
    if (saying.kind === 'mismatch') return [];
    if (saying.kind === 'constant') {
      return saying.holds ? [] : [{ kind: 'constant', span: node.span, self: saying.self }];
    }
    const conflict = saying.facts.map((fact) => facts.add(fact)).find(Boolean);
    return conflict === undefined ? [] : [{ kind: 'facts', facts: conflict }];
  });
}

function describe(text: string, contradiction: Contradiction, { filter }: Tree): Finding {
  if (contradiction.kind === 'facts') return describeFacts(text, contradiction.facts, filter?.span);
  const { span } = contradiction;
  const message = `nothing satisfies ${quote(text.slice(span.start, span.end))}`;
  if (contradiction.kind === 'alternatives') {
    const related = [{ message: 'no alternative here goes with the rest', span: contradiction.or }];
    return { message, help: 'change the alternatives, or what stands beside them', span, related };
  }
  const help = contradiction.self
    ? 'both sides are the same'
    : 'both sides are values: compare an attribute';
  return { message, help, span };
}

/** Facts of a pattern that FILTER contradicts are shown as related. */
function describeFacts(text: string, facts: readonly Fact[], filter: Span | undefined): Finding {
  const spans = facts
    .map(({ span }) => span)
    .filter((span, index, all) => span.start !== all[index - 1]?.start);
  const inFilter = spans.filter(
    ({ start }) => filter !== undefined && start >= filter.start && start < filter.end,
  );
  const own = inFilter.length > 0 ? inFilter : spans;
  const others = spans.filter((span) => !own.includes(span));
  const parts = spans.map(({ start, end }) => quote(text.slice(start, end)));
  return {
    message: `nothing satisfies ${together(parts)}`,
    ...helpFor(facts),
    span: own.reduce(cover),
    ...(others.length > 0 && {
      related: others.map((span) => ({ message: 'the pattern asks for this', span })),
    }),
  };
}

function together(parts: readonly string[]): string {
  const [first, second, ...more] = parts;
  if (second === undefined) return `${first}`;
  if (more.length === 0) return `both ${first} and ${second}`;
  const shown = parts.slice(0, MOST_PARTS);
  const rest = parts.length - shown.length;
  const last = rest > 0 ? `${rest} more` : shown.pop();
  return `${shown.join(', ')} and ${last} together`;
}

const MOST_PARTS = 4;

function helpFor(facts: readonly Fact[]): { readonly help?: string } {
  const kinds = [...new Set(facts.map(({ stated }) => stated.kind))];
  if (kinds.length > 1) return { help: `nothing is a ${kinds.join(' and a ')} at once` };
  const nature = facts[0]?.subject.nature;
  if (nature?.least === undefined) return {};
  return { help: nature.integer ? 'it is an integer of at least 0' : 'it is at least 0' };
}
