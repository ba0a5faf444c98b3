import { OWN_PROBE } from '../../basics/index.js';
import type { Violation } from '../../diagnostics/index.js';
import type { EventShape } from '../../session/index.js';
import type { Span } from '../../source/index.js';
import type * as ast from '../tree/ast.js';
import { meaningOf } from './meaning.js';
import { orderedPairs } from './ordered-pairs.js';
import { requiresOwnEvent, shapesOf } from './recorded.js';
import { listText, shapeProbes } from './unordered.js';

/** The shapes of the events that match each label's pattern; undefined if unknown. */
type OfLabels = ReadonlyMap<string, readonly EventShape[] | undefined>;

/**
 * Returns the violation for a use of event times that were not recorded. Undefined if any of the
 * shapes may have a time.
 */
export function missingTimeViolation(
  shapes: readonly EventShape[],
  span: Span,
): Violation | undefined {
  if (shapes.length === 0 || shapes.some(({ attributes }) => attributes.has('time'))) {
    return undefined;
  }
  return {
    message: `no recorded event at ${listText(shapeProbes(shapes))} that the pattern allows has a time`,
    help: "record the events' times, or require their order with WHEN",
    span,
  };
}

/**
 * Returns two entries for each WITHIN in WHEN, with the event shapes of the first and the second
 * label.
 */
export function limitsWithoutTimes(
  tree: ast.Tree,
  ofLabel: OfLabels,
): { readonly shapes: readonly EventShape[] | undefined; readonly span: Span }[] {
  const { parts, absences } = meaningOf(tree);
  return [parts, ...absences.map((absence) => absence.parts)].flat().flatMap((part) => {
    if (part.kind !== 'within') return [];
    return [part.from, part.to].map((label) => ({ shapes: ofLabel.get(label), span: part.span }));
  });
}

const WORDS = new Map([
  ['perturb.injected', 'the injection'],
  ['perturb.reset', 'the reset'],
]);

/** Returns a message that events without a time may be earlier or later than one of Perturb's own actions. */
export function untiedText(probes: readonly string[], ownEvent = 'perturb.injected'): string {
  const action = WORDS.get(ownEvent) ?? ownEvent;
  return `events at ${listText(probes)} have no time, so it is unknown whether they came before ${action}`;
}

/** Advice about events without a time. */
export const UNTIED_HELP = 'record their times';

/**
 * Reports arrows and `||` between Perturb's own events and events without a time, if nothing else
 * orders these events.
 */
export function findUntiedEvents(
  tree: ast.Tree,
  ofLabel: OfLabels,
  shapes: readonly EventShape[],
): Violation[] {
  const conditions = new Map(
    tree.match?.patterns.map(({ label, condition }) => [label.text, condition]),
  );
  const ownNames = (label: string): string[] => {
    const condition = conditions.get(label);
    if (condition === undefined || !requiresOwnEvent(condition)) return [];
    return shapesOf(condition, shapes).flatMap(({ name, probe }) =>
      probe === OWN_PROBE ? [name] : [],
    );
  };
  const violations = new Map<string, Violation>();
  for (const { from, to, span } of orderedPairs(tree)) {
    for (const [ownLabel, otherLabel] of [[from, to] as const, [to, from] as const]) {
      for (const name of ownNames(ownLabel)) {
        const untiedShapes =
          ofLabel.get(otherLabel)?.filter((shape) => shape.untied?.has(name)) ?? [];
        if (untiedShapes.length === 0) continue;
        const message = untiedText(shapeProbes(untiedShapes), name);
        if (!violations.has(message)) violations.set(message, { message, help: UNTIED_HELP, span });
      }
    }
  }
  return [...violations.values()];
}
