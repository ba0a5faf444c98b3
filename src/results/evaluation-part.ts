import {
  type Evaluation,
  type EventValue,
  type Evidence,
  type GroupKey,
  type MeasureResult,
  placeText,
  type UndecidedReason,
} from '../evaluation/index.js';
import type { Excerpt } from '../excerpt/index.js';
import type { Details } from '../records/index.js';
import { nanosecondsText, timeText } from '../values/index.js';
import { evidenceTitle, quantityText, sidesText, valueTexts } from './evidence-text.js';
import type { Verdict } from './measured.js';
import { type Picture, picturedEvidence } from './picture.js';

/** An expression's result, prepared for output in all formats. */
export interface EvaluationPart {
  /** The AGGREGATE comparisons; with BY, the worst group's comparisons. */
  readonly comparisons: readonly ComparisonPart[];
  readonly isGrouped: boolean;
  /** A sentence on the number of bindings; undefined if the status is undecided or unknown. */
  readonly bindings: string | undefined;
  /** Lines on the event order, the groups, and the number of absence checks. */
  readonly summary: readonly string[];
  /** Groups that do not satisfy the comparisons, worst first. */
  readonly worst: readonly {
    readonly keys: readonly string[];
    readonly comparisons: readonly ComparisonPart[];
  }[];
  /** Number of unlisted groups that do not satisfy the comparisons. */
  readonly moreGroups: number;
  /** The event order; undefined for the default order, by messages and timelines. */
  readonly order: string | undefined;
  readonly undecided: UndecidedReason | undefined;
  /**
   * The reason for a missing binding: a label without events after some stage, an unexpected event,
   * or no combination that satisfies all clauses.
   */
  readonly noBinding: string | undefined;
  /** The number of events that remain for each label after each stage. */
  readonly labels: NonNullable<Details['labels']>;
  readonly evidence: readonly EvidencePart[];
}

/** An AGGREGATE comparison. */
export interface ComparisonPart {
  readonly text: string;
  readonly values: string;
  readonly verdict: Verdict;
}

/** A piece of evidence: the events of a binding. */
export interface EvidencePart {
  readonly title: string;
  /** True if an earlier, more important piece of evidence has the same title. */
  readonly isNext: boolean;
  /** True if the binding fails only the part of the expression named in the title. */
  readonly isNearMiss: boolean;
  readonly events: readonly EvidenceEvent[];
  /** The values of the expression's differences, such as `b.time - a.time = 1.2s`. */
  readonly values: readonly string[];
  /** The diagram for terminals; absent if lines suffice or the session is not available. */
  readonly excerpt?: Excerpt;
  /** The diagram for HTML. At most one piece of evidence has one. */
  readonly picture?: Picture;
}

/** An event of a piece of evidence. */
export interface EvidenceEvent {
  /** The labels bound to the event, separated by commas. */
  readonly labels: string;
  readonly name: string;
  /** The event's position, such as `GAZEBO #3`, or `SHOP request-7 #3` with its timeline. */
  readonly place: string;
  /** The attributes that the expression mentions, except the name. */
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

/**
 * Describes an evaluation, or the evaluation details in a journal.
 *
 * @param excerpts the part of the session to draw, for each piece of evidence
 * @param picture the diagram of the evidence that `picturedEvidence` selects
 */
export function evaluationPart(
  found: Details & Partial<Pick<Evaluation, 'status' | 'undecided'>>,
  excerpts?: readonly Excerpt[],
  picture?: Picture,
): EvaluationPart {
  const { undecided, groups, measures = [], labels = [], evidence = [] } = found;
  const worst = groups?.worst.filter(({ holds }) => holds !== true) ?? [];
  const failing = groups?.hold === undefined ? 0 : groups.all - groups.hold;
  return {
    comparisons: measures.map(comparisonPart),
    isGrouped: groups !== undefined,
    bindings: bindingsText(found),
    summary: summaryLines(found),
    worst: worst.map((group) => ({
      keys: group.keys.map(keyText),
      comparisons: group.measures.map(comparisonPart),
    })),
    moreGroups: Math.max(0, failing - worst.length),
    order: found.order && orderText(found.order),
    undecided,
    noBinding: noBindingText(found),
    labels,
    evidence: evidenceParts(evidence, excerpts, picture),
  };
}

export function comparisonPart(measure: MeasureResult): ComparisonPart {
  const { text, holds } = measure;
  const verdict = holds === undefined ? 'undecided' : holds ? 'passed' : 'failed';
  return { text, values: sidesText(measure), verdict };
}

/** Formats a comparison with its values. */
export function comparisonText({ text, values }: ComparisonPart): string {
  return `${text}: ${values}`;
}

function bindingsText({ status, bindings }: Parameters<typeof evaluationPart>[0]) {
  if (status === undefined || status === 'undecided') return undefined;
  if (status === 'fails') return 'there is no binding';
  if (bindings === undefined) return 'there is a binding';
  return bindings === '1' ? 'there is 1 binding' : `there are ${bindings} bindings`;
}

function summaryLines({ order, notes = [], groups, tested, labels = [] }: Details): string[] {
  const lines: string[] = [];
  if (order !== undefined) lines.push(orderText(order));
  lines.push(...notes);
  if (groups !== undefined) {
    const { all, hold, leftOut = 0, cutOff = 0 } = groups;
    const failing = hold === undefined ? 0 : all - hold;
    const counts = hold === undefined ? `${all} groups` : `satisfied by ${hold} of ${all} groups`;
    lines.push(`${counts}${failing > 0 ? `, not by ${failing}` : ''}`);
    const left = leftOut === 1 ? '1 group' : `${leftOut} groups`;
    if (leftOut > 0) lines.push(`HAVING excludes ${left}`);
    const events = cutOff === 1 ? '1 event lies' : `${cutOff} events lie`;
    const what = `${events} in the last window, which the end of the session cuts short`;
    if (cutOff > 0) lines.push(what);
  }
  if (tested !== undefined) {
    const [absent, bound] = [true, false].map((isAbsent) =>
      labels.filter((one) => (one.absent ?? false) === isAbsent).map(({ label }) => label),
    ) as [string[], string[]];
    const what = bound.length > 0 ? 'choice' : 'event';
    const count = tested === '1' ? `1 ${what}` : `${tested} ${what}s`;
    const of = bound.length > 0 ? bound.join(' and ') : 'the session';
    lines.push(`the absence of ${absent.join(' and ')} was tested on ${count} of ${of}`);
  }
  return lines;
}

/** Describes an event order other than the default order, by messages and timelines. */
export function orderText({ skew }: NonNullable<Details['order']>): string {
  const by = 'ordered by clocks';
  return skew === undefined ? by : `${by}, with a skew of ${nanosecondsText(BigInt(skew))}`;
}

/**
 * Formats a group's key with its value. A window's value is its start time.
 */
export function keyText({ key, value }: GroupKey): string {
  const isTime = key.startsWith('window(') && /^\d+$/.test(value);
  return `${key} ${isTime ? timeText(BigInt(value)) : value}`;
}

function noBindingText({
  bindings,
  labels = [],
  status,
}: Parameters<typeof evaluationPart>[0]): string | undefined {
  if (bindings !== '0') return undefined;
  const absent = labels.filter((one) => one.absent).map(({ label }) => label);
  const present = labels.filter((one) => !one.absent);
  for (const [stage, what] of [
    ['matched', 'no event matches the pattern of'],
    ['filtered', 'FILTER leaves no event of'],
    ['ordered', 'WHEN leaves no event of'],
  ] as const) {
    const empty = present.filter((label) => label[stage] === 0).map(({ label }) => label);
    if (empty.length > 0) return `${what} ${empty.join(', ')}`;
  }
  if (absent.length === 0) {
    return 'every label matched events, but no combination satisfies all clauses';
  }
  if (status !== 'fails') return undefined;
  const what = `there is an unexpected event: ${absent.join(' or ')}`;
  const others = present.map(({ label }) => label).join(', ');
  return present.length === 0 ? what : `for each choice of ${others}, ${what}`;
}

const NEIGHBOURS: ReadonlySet<string> = new Set<Evidence['why']>(['below', 'above']);

/**
 * Describes each piece of evidence with events. Only the first of several pieces with the same
 * title has an excerpt. Neighbours of a value and repeated events have no excerpt.
 */
function evidenceParts(
  evidence: readonly Evidence[],
  excerpts: readonly Excerpt[] = [],
  picture: Picture | undefined,
): EvidencePart[] {
  const pictured = picturedEvidence(evidence);
  const titles = new Set<string>();
  const drawn = new Set<string>();
  return evidence.flatMap((one, at) => {
    if (Object.keys(one.binding).length === 0) return [];
    const title = evidenceTitle(one);
    const isNext = one.why !== 'first' && titles.has(title);
    titles.add(title);
    const events = eventsOf(one);
    const places = events.map(({ place }) => place).join();
    const isDrawn = !isNext && !NEIGHBOURS.has(one.why) && !drawn.has(places);
    drawn.add(places);
    const excerpt = isDrawn ? excerpts[at] : undefined;
    return [
      {
        ...{ title, isNext, isNearMiss: one.why === 'near', events, values: valueTexts(one) },
        ...(excerpt && { excerpt }),
        ...(one === pictured && picture && { picture }),
      },
    ];
  });
}

/** Returns the distinct events of a piece of evidence. */
function eventsOf({ binding, durations = [] }: Evidence): readonly EvidenceEvent[] {
  const shown = new Map<string, EvidenceEvent>();
  for (const [label, { attributes = {}, ...event }] of Object.entries(binding)) {
    const place = placeText(event);
    const known = shown.get(place);
    const { name = '', ...others } = attributes;
    const facts = Object.entries(others).map(([key, value]) => ({
      name: key,
      text: valueText(key, value, durations),
    }));
    const labels = known === undefined ? label : `${known.labels}, ${label}`;
    shown.set(place, { labels, name: String(name), place, facts });
  }
  return [...shown.values()];
}

/**
 * Formats an event's attribute for users.
 *
 * @param durations the names of the attributes that are durations
 */
function valueText(name: string, value: EventValue, durations: readonly string[]): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value);
  const unit = name === 'time' ? 'time' : durations.includes(name) ? 'duration' : undefined;
  return quantityText(String(value), unit);
}
