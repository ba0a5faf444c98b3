import type { Evaluation, Evidence } from '../evaluation/index.js';
import { type Content, table } from './markup.js';

/** An evaluation, or what was kept of one. */
export type Details = Partial<Pick<Evaluation, 'evidence' | 'labels' | 'measures' | 'bindings'>>;

/** What each label matched, and both sides of each comparison of AGGREGATE. */
export function evaluationTables({ labels = [], measures = [] }: Details): Content {
  return [
    labels.length > 0
      ? table(
          'Events by label',
          ['label', 'matched', 'after FILTER', 'after WHEN'],
          labels.map(({ label, matched, filtered, ordered }) => [
            label,
            matched,
            filtered,
            ordered,
          ]),
        )
      : undefined,
    measures.length > 0
      ? table(
          'AGGREGATE',
          ['comparison', 'left', 'right', 'holds'],
          measures.map(({ text, left, right, holds }) => [
            text,
            left,
            right,
            holds === undefined ? 'undecided' : holds ? 'yes' : 'no',
          ]),
        )
      : undefined,
  ];
}

/** The events of a binding by their places, where there is no picture of it. */
export function bindingTable({ binding }: Evidence): Content {
  return table(
    'A binding',
    ['label', 'probe', 'seq'],
    Object.entries(binding).map(([label, { probe, seq }]) => [label, probe, `#${seq}`]),
  );
}
