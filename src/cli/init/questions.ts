import { OWN_PROBE } from '../../basics/index.js';
import { chooseOrder, type Evaluation, evaluate, orderFor } from '../../evaluation/index.js';
import { check, fitsBackquotes, printName, printString } from '../../expression/index.js';
import {
  type EventShape,
  joinVocabularies,
  type Session,
  type Vocabulary,
  vocabularyOf,
} from '../../session/index.js';

/* Questions built from recorded names. Each question holds without faults, and is not vacuous. */

/** The name and check of an objective's measurement. */
export interface BaselineQuestion {
  readonly name: string;
  readonly check: string;
  /** True if a fault that responds in the service's place would by itself decide the question. */
  readonly isOfAnswers?: boolean;
  /** The requested maximum response time, if some responses exceeded it. */
  readonly missed?: string | undefined;
}

/** The kinds of questions that a probe's events allow. */
export type ProbeScope =
  /** All questions. */
  | 'all'
  /**
   * Faults act between this probe and the responding service, so they directly cause late and bad
   * responses.
   */
  | 'answered'
  /** Like `answered`, but the probe has its own timeout, and always records a response. */
  | 'once';

/** Search budget for evaluating a question. A question that exceeds the budget is dropped. */
const BUDGET = 5_000_000;
/** Maximum number of shapes to compare with each other, and of questions of one kind. */
const MOST_SHAPES = 24;
const MOST_OF_A_KIND = 3;
/** Minimum number of responses for a percentile, and of events for a rhythm. */
const LEAST_ANSWERS = 100;
const LEAST_BEATS = 20;
/** Smallest time limit. Shorter waits are normal on a busy machine. */
const LEAST_BOUND_MS = 50;
/** Maximum ratio of the longest interval to the median interval in a rhythm. */
const MOST_UNEVEN = 5;

/** The attribute that links a poll's response to its request. */
const QUESTION = 'question';
/** Patterns for names of attributes that identify an event's object. */
const IDS = [
  /(?:^|[^a-z])(?:id|uuid|guid|key|order|job|message|msg|request|question|transaction)$/i,
  /(?:I[dD]|Key)$/,
];
/**
 * Matches names of attributes that identify elements of the recording, not objects of the system.
 */
const RECORDERS_ID = /^(?:span|process|thread|scope|resource|source)\./;
/** Matches names of events that may occur repeatedly, because a retry is not a mistake. */
const TRY =
  /^(?:re)?(?:send|sent|ask|call|quer|request|try|tries|tried|attempt|publish|start|begin|began)/i;
const ERRORS = ['error', 'fail', 'exception', 'panic', 'fatal', 'crash'];
const LEVELS = "('error', 'fatal', 'critical', 'panic', 'alert', 'emergency')";

/**
 * Returns the questions that hold in every session and are not vacuous, grouped by kind, with the
 * most important kinds first.
 *
 * @param sessions recorded without faults
 * @param within the maximum response time, in expression notation; by default derived from the
 *   sessions
 */
export function questionsOf(
  sessions: readonly Session[],
  scopeOf: (probe: string) => ProbeScope,
  within?: string,
): readonly BaselineQuestion[] {
  const ask = new Inquiry(sessions, within);
  const shapes = ask.vocabulary.shapes
    .filter(({ probe, name }) => probe !== OWN_PROBE && name !== '')
    .slice(0, MOST_SHAPES);
  const isOfSpan = ({ attributes }: EventShape) => attributes.has('span.end');
  const pairs = pairsOf(
    ask,
    shapes.filter((one) => !isOfSpan(one)),
  );
  const open = shapes.filter(({ probe }) => scopeOf(probe) === 'all');
  const isTimed = ({ probe }: EventShape) =>
    within === undefined ? scopeOf(probe) === 'all' : scopeOf(probe) !== 'once';
  const paired = new Set(pairs.flatMap(({ request, answer }) => [request, answer]));
  const kinds = [
    once(shapes, pairs),
    pairs
      .filter(({ request }) => scopeOf(request.probe) !== 'once')
      .map((pair) => answered(ask, pair, scopeOf(pair.request.probe) === 'answered')),
    shapes
      .filter((one) => isOfSpan(one) && isTimed(one))
      .map((shape) => brief(ask, shape, scopeOf(shape.probe) === 'answered')),
    [noNewError(ask, open)],
    open.filter((one) => !paired.has(one) && !isOfSpan(one)).map((shape) => steady(ask, shape)),
  ];
  return kinds.flatMap((kind) =>
    kind.filter((one) => one !== undefined && ask.holds(one.check)).slice(0, MOST_OF_A_KIND),
  ) as BaselineQuestion[];
}

/** An evaluator of expressions on the recorded sessions. */
class Inquiry {
  readonly vocabulary: Vocabulary;
  readonly #order: ReturnType<typeof chooseOrder>;

  constructor(
    readonly sessions: readonly Session[],
    readonly within: string | undefined,
  ) {
    this.vocabulary = joinVocabularies(sessions.map(vocabularyOf));
    this.#order = chooseOrder(sessions);
  }

  /** True if an expression holds in every session, and is vacuous in none. */
  holds(text: string): boolean {
    return this.#results(text).every(({ status, vacuous }) => status === 'holds' && !vacuous);
  }

  /** Returns a measure's maximum over all sessions; undefined if a session has no value. */
  valueOf(match: string, measure: string): number | undefined {
    const results = this.#results(`${match}\nAGGREGATE ${measure} >= 0`);
    const values = results.map(({ measures: [one] }) => Number(one?.left ?? 'undefined'));
    return values.every(Number.isFinite) ? Math.max(...values) : undefined;
  }

  #results(text: string): readonly Evaluation[] {
    const { expression, findings } = check(text, { role: 'check' });
    if (expression === undefined) throw new Error(`${text}: ${findings[0]?.message}`);
    return this.sessions.map((session) =>
      evaluate(session, expression, {
        budget: BUDGET,
        order: orderFor(this.#order, this.sessions, expression),
      }),
    );
  }
}

/** A request kind, with the response kind that always follows with the same id. */
interface Pair {
  readonly request: EventShape;
  readonly answer: EventShape;
  readonly id: string;
  /** The other kinds of events with the same id at the response's probe. */
  readonly others: readonly EventShape[];
}

function pairsOf(ask: Inquiry, shapes: readonly EventShape[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const id of new Set(shapes.flatMap(idsOf))) {
    const those = shapes.filter((one) => idsOf(one).includes(id));
    const follows = followersOf(ask, those, id);
    for (const request of those) {
      const after = follows(request);
      const own = after.filter(({ probe }) => probe === request.probe);
      // If events follow at the request's probe, only that probe's events count: the first is the
      // request, the last the response. Otherwise, the events of all probes count.
      const scope = own.length > 0 ? own : after;
      const isFirst = those.every(
        (one) => !follows(one).includes(request) || (own.length > 0 && one.probe !== request.probe),
      );
      const answer = scope.find((one) => !follows(one).some((later) => scope.includes(later)));
      if (!isFirst || answer === undefined) continue;
      const others = those.filter((one) => one.probe === answer.probe && one !== answer);
      pairs.push({ request, answer, id, others });
    }
  }
  return pairs;
}

/**
 * Returns a function that maps an event kind to the event kinds that always follow with the same
 * id.
 */
function followersOf(ask: Inquiry, shapes: readonly EventShape[], id: string) {
  const known = new Map(
    shapes.map((one) => [
      one,
      shapes.filter(
        (other) =>
          other !== one &&
          ask.holds(
            `MATCH ${patternOf(one)} AS request, NOT ${patternOf(other)} AS answer
WHEN request -> answer
FILTER answer.${keyOf(id)} = request.${keyOf(id)}
AGGREGATE count() = 0`,
          ),
      ),
    ]),
  );
  return (shape: EventShape) => known.get(shape) ?? [];
}

/** Returns the attributes that identify every event of a kind. */
function idsOf({ attributes, events }: EventShape): readonly string[] {
  const isId = ([name, kinds]: readonly [string, ReadonlyMap<string, number>]) =>
    IDS.some((one) => one.test(name)) &&
    !RECORDERS_ID.test(name) &&
    name.split('.').every(fitsBackquotes) &&
    (kinds.get('integer') ?? 0) + (kinds.get('string') ?? 0) === events;
  return [...attributes].filter(isId).map(([name]) => name);
}

/**
 * Returns questions that require each effect exactly once per id. Excludes starts and attempts,
 * which may be repeated.
 */
function once(shapes: readonly EventShape[], pairs: readonly Pair[]): BaselineQuestion[] {
  const requests = new Set(pairs.map(({ request }) => request));
  return shapes
    .filter((one) => !requests.has(one) && !TRY.test(one.name))
    .flatMap((shape) =>
      idsOf(shape)
        // Skips the trace id if spans have another id, because the other id identifies the trace's
        // object.
        .filter((id, _, all) => id !== QUESTION && (id !== 'trace.id' || all.length === 1))
        .map((id) => ({
          name: `${titleOf(shape)} once for each ${id}`,
          check: `MATCH ${patternOf(shape, shape.attributes.has('span.end'))} AS effect
AGGREGATE count() = 1 BY effect.${keyOf(id)}`,
        })),
    );
}

/**
 * Returns the question that requires a response to every request. Adds a time limit, either set by
 * the user or derived from the responses, if there are enough.
 */
function answered(
  ask: Inquiry,
  { request, answer, id, others }: Pair,
  isDirect: boolean,
): BaselineQuestion {
  const isOwn = request.probe === answer.probe;
  const names = others.map(({ name }) => printString(name));
  // An unknown event, such as an error, counts as a response. A poll also records missing
  // responses.
  const otherwise = isDirect && id === QUESTION ? ' AND NOT exists(error)' : '';
  const answers = isOwn
    ? `(probe = ${printString(answer.probe)} AND name NOT IN (${names.join(', ')})${otherwise})`
    : patternOf(answer);
  const same = `answer.${keyOf(id)} = request.${keyOf(id)}`;
  const both = `MATCH ${patternOf(request)} AS request, ${answers} AS answer\nWHEN request -> answer`;
  const isMeasured = ask.within === undefined && !isDirect && answer.events >= LEAST_ANSWERS;
  const latency = 'percentile(answer.time - request.time, 99)';
  const bound = isMeasured
    ? boundOf(ask.valueOf(`${both}\nFILTER ${same}`, latency), 3)
    : ask.within;
  const by = isOwn ? 'is answered' : `is followed by ${titleOf(answer)}`;
  if (bound !== undefined) {
    const inTime = {
      name: `every ${titleOf(request)} ${by} within ${bound}`,
      check: `${both} WITHIN ${bound}
FILTER ${same} AND request.time < session.end - ${bound}
AGGREGATE count() >= 1 BY request`,
      ...(isDirect && { isOfAnswers: true }),
    };
    if (ask.holds(inTime.check)) return inTime;
  }
  return {
    name: `every ${titleOf(request)} ${by}`,
    check: `MATCH ${patternOf(request)} AS request, NOT ${answers} AS answer
WHEN request -> answer
FILTER ${same}
AGGREGATE count() = 0`,
    isOfAnswers: isDirect,
    missed: ask.within,
  };
}

/** Returns the question that limits the duration of spans. */
function brief(ask: Inquiry, shape: EventShape, isDirect: boolean): BaselineQuestion | undefined {
  const match = `MATCH ${patternOf(shape, true)} AS work`;
  // Each span has two events.
  const isMeasured = ask.within === undefined && shape.events >= 2 * LEAST_ANSWERS;
  const bound = isMeasured
    ? boundOf(ask.valueOf(match, 'percentile(work.span.duration, 99)'), 3)
    : ask.within;
  if (bound === undefined) return undefined;
  return {
    name: `every ${titleOf(shape)} takes at most ${bound}`,
    check: `${match}\nAGGREGATE max(work.span.duration) <= ${bound}`,
    isOfAnswers: isDirect,
  };
}

/**
 * Returns the question that forbids signs of errors, except signs that also occur without faults.
 */
function noNewError(ask: Inquiry, shapes: readonly EventShape[]): BaselineQuestion | undefined {
  if (shapes.length === 0) return undefined;
  const probes = [...new Set(shapes.map(({ probe }) => probe))];
  const attributes = new Set(shapes.flatMap((one) => [...one.attributes.keys()]));
  const seen = shapes.map(({ name }) => name).filter((name) => likeErrors(name));
  const match = `MATCH (probe IN (${probes.map(printString).join(', ')})) AS event\nFILTER `;
  const named = ERRORS.map((word) => `lower(event.name) GLOB '*${word}*'`).join(' OR ');
  const terms = [
    seen.length === 0
      ? named
      : `(${named}) AND event.name NOT IN (${seen.map(printString).join(', ')})`,
    ...(attributes.has('ok') ? ['event.ok = FALSE'] : []),
    ...[...attributes]
      .filter((name) => /(?:^|\.)status(?:_code)?$/.test(name) && fits(name))
      .flatMap((name) => [`event.${keyOf(name)} >= 500`, `event.${keyOf(name)} = 'error'`]),
    ...['level', 'severity']
      .filter((name) => attributes.has(name))
      .map((name) => `lower(event.${name}) IN ${LEVELS}`),
  ].filter((term) => ask.holds(`${match}${term}\nAGGREGATE count() = 0`));
  if (terms.length === 0) return undefined;
  return {
    name: `no new error at ${probes.join(', ')}`,
    check: `${match}${terms.map((one) => (one.includes(' AND ') ? `(${one})` : one)).join('\n  OR ')}
AGGREGATE count() = 0`,
  };
}

const fits = (name: string) => name.split('.').every(fitsBackquotes);

function likeErrors(name: string): boolean {
  return ERRORS.some((word) => name.toLowerCase().includes(word));
}

/** Returns the question that requires a recurring event to keep recurring. */
function steady(ask: Inquiry, shape: EventShape): BaselineQuestion | undefined {
  const count = shape.events / ask.sessions.length;
  if (count < LEAST_BEATS || !shape.attributes.has('time')) return undefined;
  const two = `MATCH ${patternOf(shape)} AS beat, ${patternOf(shape)} AS next`;
  const wait = 'next.time - beat.time';
  const usual = ask.valueOf(`${two}\nWHEN beat -> NEXT next`, `percentile(${wait}, 50)`);
  const longest = ask.valueOf(`${two}\nWHEN beat -> NEXT next`, `max(${wait})`);
  if (usual === undefined || longest === undefined || longest > MOST_UNEVEN * usual)
    return undefined;
  const bound = boundOf(longest, 2);
  return {
    name: `${titleOf(shape)} is never silent for more than ${bound}`,
    check: `${two}
WHEN beat -> next WITHIN ${bound}
FILTER beat.time < session.end - ${bound}
AGGREGATE count() >= 1 BY beat`,
  };
}

/** Multiplies a number of nanoseconds, and formats the result as a duration. */
function boundOf(nanoseconds: number | undefined, times: number): string | undefined {
  if (nanoseconds === undefined) return undefined;
  return `${Math.max(LEAST_BOUND_MS, Math.ceil((times * nanoseconds) / 1e6))}ms`;
}

function patternOf({ name, probe }: EventShape, isEnd = false): string {
  const end = isEnd ? ' AND span.end = TRUE' : '';
  return `(name = ${printString(name)} AND probe = ${printString(probe)}${end})`;
}

const titleOf = ({ name, probe }: EventShape) => `${name} at ${probe}`;

/** Returns an attribute's name in expression notation. */
const keyOf = (name: string) =>
  name
    .split('.')
    .map((text) => printName({ text }))
    .join('.');
