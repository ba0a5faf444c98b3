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
import { evidenceTitle, sidesText, unitText, valueTexts } from './evidence-text.js';
import type { Verdict } from './measured.js';
import { type Picture, picturedEvidence } from './picture.js';

/** The outcome of an expression in a result document: facts in words, which every format lays out in its own way. */
export interface EvaluationPart {
  /** The comparisons of AGGREGATE; with BY, those of the worst group. */
  readonly comparisons: readonly ComparisonPart[];
  readonly isGrouped: boolean;
  /** The number of bindings as a sentence, where no comparisons say more. */
  readonly bindings: string | undefined;
  /** The order, the number of groups that satisfy the measures, and of choices on which an absence was tested. */
  readonly summary: readonly string[];
  /** The groups furthest from satisfying the measures. */
  readonly worst: readonly {
    readonly keys: readonly string[];
    readonly comparisons: readonly ComparisonPart[];
  }[];
  /** The number of other groups that do not satisfy them. */
  readonly moreGroups: number;
  /** The order of the events, if it is not that of messages and timelines. */
  readonly order: string | undefined;
  readonly undecided: UndecidedReason | undefined;
  /** Why there is no binding: the first stage that is empty, or that an absence leaves none. */
  readonly noBinding: string | undefined;
  /** The number of events left for each label, stage by stage. */
  readonly labels: NonNullable<Details['labels']>;
  readonly evidence: readonly EvidencePart[];
}

/** A comparison of AGGREGATE. */
export interface ComparisonPart {
  readonly text: string;
  readonly values: string;
  readonly verdict: Verdict;
}

/** A piece of evidence: the events of a binding. */
export interface EvidencePart {
  readonly title: string;
  /** True if it has the same reason as the previous item, which matters more. */
  readonly isNext: boolean;
  /** True if it fails only the part of the expression that the title names. */
  readonly isNearMiss: boolean;
  readonly events: readonly EvidenceEvent[];
  /** The differences of the expression, such as `b.time - a.time = 1.2s`. */
  readonly values: readonly string[];
  /** The diagram for a terminal; absent where lines are enough, or the session is elsewhere. */
  readonly excerpt?: Excerpt;
  /** The diagram for HTML, of one piece alone. */
  readonly picture?: Picture;
}

/** An event of evidence. */
export interface EvidenceEvent {
  /** Those that are bound to it, separated by commas. */
  readonly labels: string;
  readonly name: string;
  /** Such as `GAZEBO #3`, or `SHOP request-7 #3` with its timeline. */
  readonly place: string;
  /** Its other attributes that the expression mentions. */
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

/**
 * Describes an evaluation, or what a journal has kept of one.
 *
 * @param excerpts for each piece of evidence, its part of the session
 * @param picture of the piece of evidence that `picturedEvidence` chooses
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

/** A comparison, and what its sides come to. */
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

/** The order of the events of a result, where it is not that of messages and timelines. */
export function orderText({ skew }: NonNullable<Details['order']>): string {
  const by = 'ordered by clocks';
  return skew === undefined ? by : `${by}, with a skew of ${nanosecondsText(BigInt(skew))}`;
}

/** The value that the bindings of a group share; for a window, its beginning. */
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
  return present.length === 0 ? what : `for each choice of ${others} ${what}`;
}

const NEIGHBOURS: ReadonlySet<string> = new Set<Evidence['why']>(['below', 'above']);

/**
 * Describes each piece of evidence that has events; where all labels are absent there are none. Of several
 * for one reason, only the first has an excerpt; the neighbours of a value, and events that have already
 * been shown, have none.
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

/** The events of a piece of evidence, each once. */
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

/** An attribute of an event as people read it. @param durations the names of those that are durations */
function valueText(name: string, value: EventValue, durations: readonly string[]): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value);
  const unit = name === 'time' ? 'time' : durations.includes(name) ? 'duration' : undefined;
  return unitText(String(value), unit);
}
