import { OWN_PROBE } from '../../basics/index.js';
import {
  type Expression,
  type LabelPair,
  orderedPairs,
  probeRelation,
} from '../../expression/index.js';
import {
  areProbesTied,
  componentsOf,
  findEventNeighbours,
  type Session,
} from '../../session/index.js';
import { at, itemAt } from '../../source/index.js';
import { nanosecondsText } from '../../values/index.js';
import { type ClockScope, orderByClocks, timelinesOf, wholeScope } from '../clocks/by-clocks.js';
import { eventClocks } from '../clocks/event-clocks.js';
import { addUnorderedPair, isTrivial } from '../clocks/one-more-pair.js';
import {
  chooseOrder,
  haveTimes,
  type OrderChoice,
  orderFor,
  patternMatches,
} from '../clocks/order-choice.js';
import { probeTies } from '../clocks/ties.js';
import { unlessUndecided } from '../exact/undecided.js';
import type { Limits } from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { Selection } from '../order/selection.js';
import { union } from '../select/candidates.js';
import { timesOf } from '../select/cells.js';
import { evaluation, verdict } from './driver.js';
import { embeddedSource } from './embedded-source.js';
import { describe } from './evidence.js';
import { eventPlace, placeText } from './listing.js';
import type { EvaluateOptions } from './options.js';
import type { Evaluation, EventPlace, Evidence, UndecidedReason } from './result.js';
import { runSync } from './steps.js';

/** Advice for unordered events. */
const COMPARE_TIMES = 'compare times, use --order time, or record messages';

/** An expression and a session, with the events that match each label. */
interface OrderContext {
  readonly session: Session;
  readonly expression: Expression;
  readonly options: EvaluateOptions;
  readonly limits: Limits;
  readonly choice: OrderChoice;
  readonly pairs: readonly LabelPair[];
  /** Matching events, by label. */
  readonly matches: ReadonlyMap<string, Matches>;
  readonly isTimed: boolean;
}

/**
 * Evaluates an expression in the chosen order: by clocks, or by timelines and interactions. If the order was chosen
 * automatically, a verdict that this order cannot support is undecided.
 */
export function evaluateInOrder(
  session: Session,
  expression: Expression,
  options: EvaluateOptions,
  limits: Limits,
): Evaluation {
  const sessions = [session, ...(options.baseline ?? [])];
  const { order: choice = orderFor(chooseOrder(sessions), sessions, expression) } = options;
  const selection = new Selection(session);
  const source = embeddedSource(session, limits, selection);
  const evaluateByCause = () => runSync(evaluation(source, expression, options));
  if (choice.by === 'causal' && !choice.isAuto) return evaluateByCause();
  const pairs = orderedPairs(expression);
  if (pairs.length === 0)
    return choice.by === 'time' ? notedResult(evaluateByCause(), choice) : evaluateByCause();
  const matches = unlessUndecided(() => patternMatches(session, expression, selection));
  if (matches === undefined) return evaluateByCause();
  const matchingEvents = [...matches.values()];
  const isTimed = matchingEvents.every(({ events }) => haveTimes(session, events));
  const context = { session, expression, options, limits, choice, pairs, matches, isTimed };
  if (choice.by === 'time' && (isTimed || !choice.isAuto)) return evaluateByClocks(context);
  return checkCauses(context, evaluateByCause());
}

function notedResult(
  result: Evaluation,
  { skew }: OrderChoice,
  notes: readonly string[] = [],
): Evaluation {
  const matchingEvents = [...(result.notes ?? []), ...notes];
  const order = { by: 'time', ...(skew > 0n && { skew: String(skew) }) } as const;
  return { ...result, order, ...(matchingEvents.length > 0 && { notes: matchingEvents }) };
}

/** Makes a result undecided for a given reason. Removes the properties that depend on the verdict. */
function asUndecided(
  { margin: _, metNothing: __, ...result }: Evaluation,
  undecidedReason: UndecidedReason,
  evidence: readonly Evidence[] = [],
): Evaluation {
  return { ...result, status: 'undecided', undecided: undecidedReason, vacuous: false, evidence };
}

/** Returns the pairs whose labels both match events. */
function livePairs({ pairs, matches }: OrderContext): LabelPair[] {
  const hasMatch = (label: string) => (matches.get(label)?.size ?? 0) > 0;
  return pairs.filter(({ from, to }) => hasMatch(from) && hasMatch(to));
}

function evaluateByClocks(context: OrderContext): Evaluation {
  const { session, choice } = context;
  const concurrent = livePairs(context).find(({ kind }) => kind === 'concurrent');
  const result = evaluateClocked(context, choice.skew, wholeScope);
  if (choice.isAuto && concurrent !== undefined) {
    const reason = 'clocks cannot show that two events are concurrent';
    const help = 'record messages, or use --order time, where || means within the skew';
    return notedResult(asUndecided(result, { clause: concurrent.text, reason, help }), choice);
  }
  const notes = eventClocks(session, choice.skew).backward.map(({ from, to, count }) => {
    const messages = count === 1 ? '1 message' : `${count} messages`;
    return `by the clocks, ${messages} from ${from} to ${to} arrived before being sent, and ${count === 1 ? 'counts' : 'count'} as sent first`;
  });
  const isExact = choice.skew === 0n || concurrent !== undefined || result.status === 'undecided';
  if (isExact) return notedResult(result, choice, notes);
  const exactResult = evaluateClocked(context, 0n, wholeScope);
  if (exactResult.status === result.status) return notedResult(result, choice, notes);
  const { of } = eventClocks(session, choice.skew);
  const isWithin = (one: number, other: number) =>
    itemAt(of, other) - itemAt(of, one) < Number(choice.skew);
  const pair = findPair(context, exactResult, isWithin);
  const withinText = `within the skew of ${nanosecondsText(choice.skew)}`;
  const reason =
    pair === undefined
      ? `the verdict depends on the order of events ${withinText}`
      : `${pair.from} and ${pair.to} are ${pair.untiedText} apart, ${withinText}`;
  const help = 'set a smaller --skew if the clocks are that accurate, or record messages';
  const clause = pair?.clause ?? 'WHEN';
  const undecided = asUndecided(result, { clause, reason, help }, pair?.evidence);
  return notedResult(undecided, choice, notes);
}

type ScopeOf = (
  session: Session,
  expression: Expression,
  matches: OrderContext['matches'],
) => ClockScope;

/** Evaluates by clocks, which order only the matched events. */
function evaluateClocked(context: OrderContext, skew: bigint, scopeOf: ScopeOf): Evaluation {
  return runSync(evaluation(...clocked(context, skew, scopeOf)));
}

function verdictByClocks(context: OrderContext, scopeOf: ScopeOf) {
  return runSync(verdict(...clocked(context, 0n, scopeOf)));
}

/** Returns the arguments of an evaluation in which clocks order the matched events. */
function clocked(
  { session, expression, options, limits, matches }: OrderContext,
  skew: bigint,
  scopeOf: ScopeOf,
) {
  const { order: _, ...otherOptions } = options;
  const order = (one: Session, labels: OrderContext['matches']) => {
    const events = [...new Set(labels.values())].map((list) => list.events);
    return orderByClocks(one, events.reduce(union), skew, scopeOf(one, expression, labels));
  };
  const baseline = otherOptions.baseline?.map((one) => order(one, patternMatches(one, expression)));
  const source = embeddedSource(order(session, matches), limits);
  return [source, expression, { ...otherOptions, ...(baseline && { baseline }) }] as const;
}

function checkCauses(context: OrderContext, result: Evaluation): Evaluation {
  const { session, expression, isTimed, pairs, options } = context;
  const passingStatus = options.expects ?? 'holds';
  const notes: string[] = [];
  const withNote = (one: Evaluation) =>
    notes.length > 0 ? { ...one, notes: [...(one.notes ?? []), ...notes] } : one;
  for (const pair of livePairs(context)) {
    const { unordered, note } = checkTies(context, pair);
    if (note !== undefined) notes.push(note);
    if (unordered === undefined) continue;
    const clocks = isTimed ? verdictByClocks(context, wholeScope) : undefined;
    if (clocks?.status === result.status) {
      notes.push(`${unordered}: the clocks give the same verdict`);
      continue;
    }
    const reason = `${unordered}: ${COMPARE_TIMES}`;
    const help = `or use --order causal${result.status === 'undecided' ? '' : `, with which the measurement ${result.status}`}`;
    return asUndecided(result, { clause: pair.text, reason, help });
  }
  if (result.status === 'undecided') return withNote(result);
  const isPass = result.status === passingStatus;
  const hasArrow = pairs.some(({ kind }) => kind === 'arrow');
  if (hasArrow && isTimed && !pairs.some(({ kind }) => kind === 'concurrent')) {
    if (livePairs(context).length === 0) return withNote(result);
    const clocks = verdictByClocks(context, tiedScope);
    if (clocks.status === result.status) return withNote(result);
    if (clocks.status === 'undecided') {
      const explanation = clocks.undecided === undefined ? '' : `: ${clocks.undecided.reason}`;
      notes.push(`the clocks could not be compared${explanation}`);
      return withNote(result);
    }
    if (!isPass) {
      notes.push('by the clocks, the measurement would pass');
      return withNote(result);
    }
    const isInScope = isInTiedScope(session);
    const isUnrecorded = (one: number, other: number) =>
      isInScope(one, other) && !precedes(session, one, other);
    const { nearMisses: _, ...otherOptions } = options;
    const clockedResult = evaluateClocked(
      { ...context, options: { ...otherOptions, evidence: 3 } },
      0n,
      tiedScope,
    );
    const pair = findPair(context, clockedResult, isUnrecorded);
    if (pair === undefined) return withNote(result);
    const reason = `by the clocks, ${pair.to} came ${pair.untiedText} after ${pair.from}; no recorded message shows this order`;
    const help =
      'record the messages between the two events, or use --order time or --order causal';
    return withNote(asUndecided(result, { clause: pair.clause, reason, help }, pair.evidence));
  }
  if (!isPass || isTimed || !isTrivial(expression)) return withNote(result);
  const pair = livePairs(context).find((pair) => pair.kind === 'arrow' && couldEnd(context, pair));
  if (pair === undefined) return withNote(result);
  const reason = `events of ${pair.from} and ${pair.to} have neither an order nor times; in the order that the expression requires, the measurement would not pass`;
  const help = 'record times or messages, or use --order causal';
  return withNote(asUndecided(result, { clause: pair.text, reason, help }));
}

/**
 * Returns true if ordering an unordered pair of events, at least one of them without a time, could change the verdict.
 */
function couldEnd(
  { session, expression, options, limits }: OrderContext,
  pair: LabelPair,
): boolean {
  const { order: _, ...otherOptions } = options;
  const source = embeddedSource(session, limits);
  const reordered = addUnorderedPair(expression, pair);
  return runSync(verdict(source, reordered, otherOptions)).status === 'holds';
}

/** Explains why the events of two labels, or of some of their probes, have no order. */
function checkTies(
  { session, expression, matches }: OrderContext,
  { from, to }: LabelPair,
): { readonly unordered?: string; readonly note?: string } {
  const [a, b] = [matches.get(from) as Matches, matches.get(to) as Matches];
  const ownProbe = session.probes.indexOf(OWN_PROBE);
  const isOwnList = (list: Matches) =>
    ownProbe >= 0 && list.sources.some((line) => session.timelines.probe[line] === ownProbe);
  const includesOwn = isOwnList(a) || isOwnList(b);
  const { tiedPairs, untiedPairs } = probeTies(
    session,
    a,
    b,
    probeRelation(expression, from, to),
    includesOwn,
  );
  if (tiedPairs.length === 0 && untiedPairs.length > 0) {
    const probes = (side: 0 | 1) => [
      ...new Set(untiedPairs.map((pair) => probeText(session, pair[side]))),
    ];
    const [one, other] = [probes(0), probes(1)];
    const isSame = one.join() === other.join();
    const subject = isSame
      ? `the timelines of ${listText(one)}`
      : `${listText(one)} and ${listText(other)}`;
    return { unordered: `nothing in this session orders ${subject}` };
  }
  const unorderedText = includesOwn ? describeUnordered(session, a, b, ownProbe) : undefined;
  if (unorderedText !== undefined) {
    return {
      unordered: `nothing in this session orders ${OWN_PROBE} and ${unorderedText}, which has no time`,
    };
  }
  if (untiedPairs.length === 0) return {};
  const pairs = untiedPairs.map(([p, q]) =>
    p === q
      ? `the timelines of ${probeText(session, p)}`
      : `${probeText(session, p)} and ${probeText(session, q)}`,
  );
  return { note: `nothing in this session orders ${listText(pairs)} for ${from} and ${to}` };
}

function probeText({ probes }: Session, probe: number): string {
  return probes[probe] as string;
}

/** Maximum number of names in a message. */
const MAX_LISTED = 4;

function listText(names: readonly string[]): string {
  const omitted = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).join(', ') + (omitted > 0 ? ` and ${omitted} more` : '');
}

/**
 * Describes an event without a time that is not ordered with one of Perturb's own events; undefined if there is none.
 */
function describeUnordered(
  session: Session,
  a: Matches,
  b: Matches,
  ownProbe: number,
): string | undefined {
  const { probe } = session.timelines;
  const lines = timelinesOf(session);
  const isOwnEvent = (event: number) => probe[at(lines, event)] === ownProbe;
  const [matchingEvents, otherEvents] = [union(a.events, b.events), new Set<number>()];
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    if (!one.events.some(isOwnEvent)) continue;
    for (const event of other.events) {
      if (!isOwnEvent(event) && !haveTimes(session, Int32Array.of(event))) otherEvents.add(event);
    }
  }
  if (otherEvents.size === 0) return undefined;
  for (const event of matchingEvents.filter(isOwnEvent)) {
    const { before: previousEvents, after: nextEvents } = findEventNeighbours(
      session,
      event,
      at(lines, event),
    );
    for (const other of otherEvents) {
      const line = at(lines, other);
      if (other >= at(nextEvents, line) || other <= at(previousEvents, line)) continue;
      const { probe: name, seq } = eventPlace(session, other);
      return `${name} #${seq}`;
    }
  }
  return undefined;
}

function precedes(session: Session, one: number, other: number): boolean {
  const lines = timelinesOf(session);
  const { after: nextEvents } = findEventNeighbours(session, one, at(lines, one));
  return other >= at(nextEvents, at(lines, other));
}

/**
 * Returns the scope in which clocks order events: timelines connected by interactions, and pairs of probes that no
 * interaction connects.
 */
function tiedScope(
  session: Session,
  expression: Expression,
  matches: OrderContext['matches'],
): ClockScope {
  const probeSet = ({ sources }: Matches) =>
    new Set(sources.map((line) => at(session.timelines.probe, line)));
  const bridges = orderedPairs(expression).flatMap(({ from, to }) => {
    const [a, b] = [matches.get(from) as Matches, matches.get(to) as Matches];
    const relation = probeRelation(expression, from, to);
    const [ofA, ofB] = [probeSet(a), probeSet(b)];
    return [...ofA].flatMap((p) => {
      const untiedTimelines = [...ofB].filter(
        (q) =>
          (relation === undefined || (p === q) === (relation === '=')) &&
          !areProbesTied(session, p, q),
      );
      return untiedTimelines.map(
        (q) => [eventsAtProbe(session, a, p), eventsAtProbe(session, b, q)] as const,
      );
    });
  });
  return { ...componentsOf(session), bridges };
}

function eventsAtProbe({ start }: Session, { events }: Matches, probe: number): Int32Array {
  return events.filter((event) => event >= at(start, probe) && event < at(start, probe + 1));
}

/** Returns a predicate that is true for pairs of events within the scope of `tiedScope`. */
function isInTiedScope(session: Session): (one: number, other: number) => boolean {
  const { groupOf } = componentsOf(session);
  const { probe } = session.timelines;
  const lines = timelinesOf(session);
  return (one, other) => {
    const [p, q] = [at(lines, one), at(lines, other)];
    return groupOf[p] === groupOf[q] || !areProbesTied(session, at(probe, p), at(probe, q));
  };
}

/** Two events of an arrow's labels, formatted for a message. */
interface FoundPair {
  readonly clause: string;
  readonly from: string;
  readonly to: string;
  readonly untiedText: string;
  readonly evidence: readonly Evidence[];
}

/** Maximum number of the earlier label's events to try if the evidence has no pair. */
const MAX_TRIED = 200;

/**
 * Finds a relevant pair of events that the clocks order as an arrow requires. Searches the result's evidence first,
 * then the matching events.
 */
function findPair(
  { session, expression, matches, pairs, choice }: OrderContext,
  { evidence }: Evaluation,
  isRelevant: (one: number, other: number) => boolean,
): FoundPair | undefined {
  const { of } = eventClocks(session, choice.skew);
  const isPair = (one: number, other: number) =>
    itemAt(of, other) > itemAt(of, one) && isRelevant(one, other);
  for (const pair of pairs.filter(({ kind }) => kind === 'arrow')) {
    const [a, b] = [matches.get(pair.from) as Matches, matches.get(pair.to) as Matches];
    const describePair = (one: number, other: number): FoundPair => {
      const events = new Map([
        [pair.from, one],
        [pair.to, other],
      ]);
      const source = {
        session,
        times: () => timesOf(session),
        placeOf: (event: number) => eventPlace(session, event),
      };
      const [from, to] = [one, other].map((event) => eventName(session, event)) as [string, string];
      return {
        ...{ clause: pair.text, from, to },
        untiedText: nanosecondsText(BigInt(Math.round(itemAt(of, other) - itemAt(of, one)))),
        evidence: describe(source, expression, [{ why: 'clocks', events }]),
      };
    };
    for (const { binding } of evidence) {
      const [one, other] = [
        eventAt(session, a, binding[pair.from]),
        eventAt(session, b, binding[pair.to]),
      ];
      if (one !== undefined && other !== undefined && isPair(one, other)) {
        return describePair(one, other);
      }
    }
    for (const one of a.events.subarray(0, MAX_TRIED)) {
      const other = b.events.find((event) => isPair(one, event));
      if (other !== undefined) return describePair(one, other);
    }
  }
  return undefined;
}

function eventName({ columns, texts }: Session, event: number): string {
  return texts[columns.get('name')?.numbers[event] ?? -1] ?? '';
}

/** Finds the event at a position in a list of matches; undefined if the list lacks the event. */
function eventAt(
  session: Session,
  { events }: Matches,
  position: EventPlace | undefined,
): number | undefined {
  if (position === undefined) return undefined;
  const text = placeText(position);
  return events.find((event) => placeText(eventPlace(session, event)) === text);
}
