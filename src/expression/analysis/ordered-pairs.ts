import type { Span } from '../../source/index.js';
import type * as ast from '../tree/ast.js';
import { printOperand } from '../tree/print.js';
import { conjunctsOf } from '../tree/walk.js';
import { type MeaningPart, meaningOf } from './meaning.js';

/** Two labels that an expression orders. */
export interface LabelPair {
  readonly from: string;
  readonly to: string;
  readonly kind: 'arrow' | 'concurrent';
  readonly isNext: boolean;
  /** The pair's text, for messages. */
  readonly text: string;
  /** The span of the arrow or `||`. */
  readonly span: Span;
}

/** Returns the distinct pairs of labels that WHEN orders, including pairs ordered through absent labels. */
export function orderedPairs(tree: Pick<ast.Tree, 'match' | 'when' | 'filter'>): LabelPair[] {
  const { parts, absences } = meaningOf(tree);
  const allParts = [...parts, ...absences.flatMap((absence) => absence.parts)];
  const pairs = new Map<string, LabelPair>();
  for (const part of allParts) {
    if (!isOrder(part) || part.from === part.to) continue;
    const { from, to, kind, span } = part;
    const isNext = part.kind === 'arrow' && part.next;
    const sign = kind === 'concurrent' ? '||' : isNext ? '-> NEXT' : '->';
    pairs.set(`${from} ${sign} ${to}`, {
      from,
      to,
      kind,
      isNext,
      text: `${from} ${sign} ${to}`,
      span,
    });
  }
  return [...pairs.values()];
}

function isOrder(
  part: MeaningPart,
): part is MeaningPart & { readonly kind: 'arrow' | 'concurrent' } {
  return part.kind === 'arrow' || part.kind === 'concurrent';
}

/** The relation that FILTER requires between two labels' probes. */
export type ProbeRelation = '=' | '!=' | undefined;

/**
 * Returns the comparator of a FILTER conjunct such as `a.probe = b.probe`; undefined without such a
 * conjunct.
 */
export function probeRelation(
  { filter }: Pick<ast.Tree, 'filter'>,
  a: string,
  b: string,
): ProbeRelation {
  const texts = [`${a}.probe`, `${b}.probe`].sort().join();
  for (const condition of filter === undefined ? [] : conjunctsOf(filter.condition)) {
    if (
      condition.kind !== 'comparison' ||
      (condition.comparator !== '=' && condition.comparator !== '!=')
    )
      continue;
    if ([condition.left, condition.right].map(printOperand).sort().join() === texts)
      return condition.comparator;
  }
  return undefined;
}
