import type { Expression } from '../../expression/index.js';
import { baselineOf, readsBaseline } from '../answer/baseline.js';
import type { Engine } from '../answer/engine.js';
import type { EvaluateOptions } from '../answer/evaluate.js';
import { type Answered, explanationOf, type Searched } from '../answer/explain.js';
import {
  type AggregateOutcome,
  isUnmatched,
  judgeAll,
  judgeGroups,
  type MeasuredSides,
} from '../answer/judge.js';
import type { Found } from '../answer/listing.js';
import {
  type Evaluation,
  type EventPlace,
  nothingKnown,
  type UndecidedReason,
  verdictOf,
  whyUndecided,
} from '../answer/result.js';
import type { Exact } from '../exact/number.js';
import type { TermValue } from '../exact/term-value.js';
import { Undecided } from '../exact/undecided.js';
import { buildQuery } from '../query/build-query.js';
import { sidesOf } from '../query/build-terms.js';
import type { BaselineTerm, Query, SessionTimes } from '../query/query.js';
import { Answers } from './answers.js';
import { TooWide } from './arithmetic.js';
import { absencesOf, forcedClause, type Remaining } from './bindings.js';
import { attributeCell, CellKind, doubleSql, exactOf } from './cell.js';
import { reduceTables } from './count-forest.js';
import { type Database, LimitReached, literal } from './database.js';
import { describeOnServer, idSql, placesOf } from './evidence.js';
import { groupsOnServer, type ServerGroups } from './groups.js';
import {
  columnsFor,
  type LabelTable,
  selectLabels,
  type Work,
  withScratch,
} from './label-tables.js';

/** The query of an expression, and the times of the session if it asks for them. */
async function queryOf(db: Database, session: string, expression: Expression) {
  let isAsked = false;
  const query = buildQuery(expression, () => {
    isAsked = true;
    return {};
  });
  const isTimed = isAsked || query.by?.keys.some(({ kind }) => kind === 'window') === true;
  if (!isTimed) return { query, times: {} as SessionTimes };
  const times = await timesOnServer(db, session);
  return { query: buildQuery(expression, () => times), times };
}

/** The earliest and the latest time of a session's events. */
async function timesOnServer(db: Database, session: string): Promise<SessionTimes> {
  const { kind, whole, part } = attributeCell({ kind: 'attribute', label: 0, name: 'time' }, 'e');
  const times: Exact[] = [];
  for (const order of ['asc', 'desc']) {
    const [row] = await db.rows(
      `select toString(${whole} as w), ${doubleSql(`(${part} as p)`)} from perturb_events e where session = ${literal(session)} and ${kind} = ${CellKind.number} order by w ${order}, p ${order} limit 1`,
    );
    if (row !== undefined) times.push(exactOf(row[0], row[1]));
  }
  const [start, end] = times;
  return start === undefined || end === undefined ? {} : { start, end };
}

/**
 * The engine of a server, over a session that it has: exact, and with the same result as the one of
 * this process. If a limit of the server is met, or numbers are too far apart to calculate with in
 * 256 bits, an expression is undecided.
 *
 * @param session the id that was given to `loadSession`
 */
export function engineOn(db: Database, session: string): Engine {
  const workOn = <Value>(query: Query, task: (work: Work) => Promise<Value>): Promise<Value> =>
    withScratch(db, async (scratch) => {
      const columns = await columnsFor(db, session, query);
      return task({ db, session, query, columns, scratch });
    });
  return {
    evaluate: async (expression, options = {}) => {
      let query: Query | undefined;
      try {
        const timed = await queryOf(db, session, expression);
        query = timed.query;
        return await workOn(timed.query, (work) =>
          evaluateQuery(expression, work, timed.times, options),
        );
      } catch (error) {
        const reason = reasonOf(error, query);
        if (reason === undefined) throw error;
        return nothingKnown(expression, reason);
      }
    },
    bindings: async (expression, limit) => {
      try {
        const query = withoutTerms((await queryOf(db, session, expression)).query);
        return await workOn(query, async (work) => {
          const { answers } = await matchOnServer(work);
          const found = await answers.bindings('1', limit);
          if (found.length === 0) return [];
          const places = await placesOf(
            work,
            found.flatMap((events) => [...events.values()]),
          );
          return found.map((events) =>
            Object.fromEntries(
              [...events].map(([label, id]) => [label, places.get(id) as EventPlace]),
            ),
          );
        });
      } catch (error) {
        if (reasonOf(error) !== undefined) return undefined;
        throw error;
      }
    },
  };
}

interface Matched {
  readonly answers: Answers;
  /** What is left before the absences that are written as NOT apply. */
  readonly tested: Remaining;
  /** The events of each label before WHEN. */
  readonly selected: readonly LabelTable[];
  readonly labels: Evaluation['labels'];
}

/** Selects the events of labels and groups, and leaves out what WHEN and absences rule out. */
async function matchOnServer(
  work: Work,
  times: SessionTimes = {},
  baseline?: (term: BaselineTerm) => TermValue,
): Promise<Matched> {
  const { query } = work;
  const { by } = query;
  const selected = await selectLabels(work);
  const groups = by && (await groupsOnServer(work, by, selected[by.label] as LabelTable, times));
  const all = groups && by ? selected.with(by.label, groups.table) : selected;
  const tables = await reduceTables(work, all);
  const { tested, remaining, own } = await absencesOf(work, tables);
  const labels = query.places.map(({ label, number, absence }) => {
    if (absence === undefined) {
      const { matched, filtered, size } = tables[number] as LabelTable;
      return { label, matched, filtered, ordered: size };
    }
    const shared = query.absences[absence]?.shared.length ?? 0;
    const { matched, filtered } = (own[absence] ?? [])[number - shared] as LabelTable;
    return { label, absent: true as const, matched, filtered, ordered: filtered };
  });
  return { answers: new Answers(work, remaining, groups, baseline), tested, selected, labels };
}

async function evaluateQuery(
  expression: Expression,
  work: Work,
  times: SessionTimes,
  { evidence: limit = 0, expects, expected, baseline: before = [] }: EvaluateOptions,
): Promise<Evaluation> {
  const { query } = work;
  const reasons: UndecidedReason[] = [];
  const attempt = async <Value>(task: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await task();
    } catch (error) {
      const reason = reasonOf(error, query);
      if (reason === undefined) throw error;
      reasons.push(reason);
      return undefined;
    }
  };
  const matched = await matchOnServer(work, times, baselineOf(expression, query, before));
  const { answers, tested, labels } = matched;
  const { groups } = answers;
  const counted = await attempt(() => answers.counted());
  const measured: MeasuredSides[] = [];
  for (const measure of query.measures ?? []) {
    const left = await attempt(() => answers.values(measure.left));
    const right = await attempt(() => answers.values(measure.right));
    measured.push({ measure, left, right });
  }
  const outcome: AggregateOutcome =
    query.measures === undefined
      ? { measures: [], holds: counted && counted.total > 0n }
      : query.by && groups
        ? await withKeys(judgeGroups(query.by, groups, measured), groups)
        : judgeAll(measured);
  const hasBaseline = before.length > 0 || !readsBaseline(query);
  const verdict = verdictOf(hasBaseline ? outcome.holds : undefined, reasons);
  const isAbsent = query.absences.some(({ isOfMatch }) => isOfMatch);
  const choices =
    isAbsent && (limit > 0 || counted?.total === 0n)
      ? await attempt(() => new Answers({ ...work, query: withoutTerms(query) }, tested).counted())
      : undefined;
  const isUntested = counted?.total === 0n && choices?.total === 0n;
  const vacuous = isUnmatched(expression, labels, expected) || groups?.all === 0 || isUntested;
  const explained: Answered = {
    ...{ expression, query, measures: outcome.measures },
    holds: verdict.status === 'holds',
    isUnexpected: verdict.status !== 'holds' || expects !== undefined,
  };
  const isExplained = verdict.status !== 'undecided' && verdict.status !== expects;
  const evidence = await attempt(async () => {
    if (limit < 1) return [];
    const found =
      groups === undefined
        ? await evidenceFor(matched, times, isExplained ? explained : undefined, limit)
        : await evidenceOfGroup(answers, outcome);
    return describeOnServer(work, expression, times, found);
  });
  return {
    ...verdict,
    ...(counted !== undefined && { bindings: String(counted.total) }),
    ...(limit > 0 && choices !== undefined && { tested: await testedText(work, choices.total) }),
    measures: outcome.measures,
    labels,
    vacuous,
    ...(outcome.groups !== undefined && { groups: outcome.groups }),
    ...(outcome.margin !== undefined && !vacuous && { margin: outcome.margin }),
    evidence: evidence ?? [],
    method: answers.trees ? 'join tree' : 'enumeration',
  };
}

/** The number of choices or, if all labels are absent, of events. */
async function testedText({ db, session, query }: Work, choices: bigint): Promise<string> {
  if (query.labels.length > 0) return String(choices);
  const count = `select toString(count()) from perturb_events where session = ${literal(session)}`;
  return String((await db.rows(count))[0]?.[0]);
}

function withoutTerms({ measures: _, by: __, ...query }: Query): Query {
  return query;
}

/** Asks what the worst groups have in common, now that they are known. */
async function withKeys(
  outcome: AggregateOutcome,
  groups: ServerGroups,
): Promise<AggregateOutcome> {
  if (outcome.groups === undefined) return outcome;
  const worst = [];
  for (const [at, one] of outcome.groups.worst.entries()) {
    worst.push({ ...one, keys: await groups.keysOf(outcome.worst?.[at] as number) });
  }
  return { ...outcome, groups: { ...outcome.groups, worst } };
}

/** What shows a result: extremes, and what explains it; else the first bindings. */
async function evidenceFor(
  { answers, selected }: Matched,
  times: SessionTimes,
  explained: Answered | undefined,
  limit: number,
): Promise<readonly Found[]> {
  const found = answers.extremes.length > 0 ? await shown(answers, limit) : [];
  if (explained !== undefined) {
    const steps = explanationOf(explained);
    let step = steps.next();
    while (!step.done) {
      const asked = step.value;
      const searched =
        asked.kind === 'missing'
          ? { found: await missing(answers, selected, asked.limit) }
          : await search(answers.work, times, asked.expression, asked.limit);
      step = steps.next(searched);
    }
    found.push(...step.value);
  }
  return found.length > 0 ? found : shown(answers, limit);
}

/** A binding for each extreme; without extremes, the first ones. */
async function shown(answers: Answers, limit: number): Promise<Found[]> {
  const { extremes } = answers;
  if (extremes.length === 0) {
    return (await answers.bindings('1', limit)).map((events) => ({ why: 'first', events }));
  }
  const found: Found[] = [];
  for (const { why, of, events } of extremes) {
    const only = [...events].map(([label, id]) => `${idSql(`l${label}`)} = ${id}`);
    const bindings = await answers.bindings(only.join(' and '), 1);
    found.push(...bindings.map((events) => ({ why, of, events })));
  }
  return found;
}

/** Evidence of the worst group: one of its bindings or, if it has none, its first event. */
async function evidenceOfGroup(answers: Answers, { worst }: AggregateOutcome): Promise<Found[]> {
  const { groups, work } = answers;
  const [group] = worst ?? [];
  if (groups === undefined || group === undefined) return [];
  const only = groups.only(group, `l${groups.label}`);
  if (only === undefined) return [];
  const [events] = await answers.bindings(only, 1);
  const label = work.query.labels[groups.label] as string;
  return [{ why: 'group', events: events ?? new Map([[label, groups.firstOf(group)]]) }];
}

/** Finds bindings of an expression whose AGGREGATE is one measure of one function, or that has none. */
async function search(
  work: Work,
  times: SessionTimes,
  expression: Expression,
  limit: number,
): Promise<Searched> {
  const query = buildQuery(expression, () => times);
  try {
    const columns = await columnsFor(work.db, work.session, query);
    const { answers } = await matchOnServer({ ...work, query, columns }, times);
    const [side] = sidesOf(query);
    const [of] = side === undefined ? [] : await answers.values(side);
    const isFound = side === undefined || answers.extremes.length > 0;
    const found = isFound ? await shown(answers, limit) : [];
    return { found, ...(of?.is === 'number' && { value: of.value }) };
  } catch (error) {
    if (reasonOf(error, query) === undefined) throw error;
    return { found: [] };
  }
}

/** The first events that are in no binding, of the first label that has such events. */
async function missing(
  answers: Answers,
  selected: readonly LabelTable[],
  limit: number,
): Promise<Found[]> {
  const { work } = answers;
  for (const [number, label] of work.query.labels.entries()) {
    const bound = await answers.boundEvents(number);
    const rest = bound === undefined ? '' : ` where (probe, seq) not in (${bound})`;
    const rows = await work.db.rows(
      `select toString(${idSql('e')}) from ${selected[number]?.name} e${rest} order by probe, seq limit ${limit}`,
    );
    if (rows.length === 0) continue;
    return rows.map(([id]) => ({ why: 'missing', events: new Map([[label, Number(id)]]) }));
  }
  return [];
}

function reasonOf(error: unknown, query?: Query): UndecidedReason | undefined {
  if (error instanceof Undecided) return whyUndecided(error);
  if (error instanceof TooWide) {
    return {
      clause: 'AGGREGATE',
      reason: error.message,
      help: 'the embedded engine calculates with numbers of any size',
    };
  }
  if (!(error instanceof LimitReached)) return undefined;
  return {
    clause: query === undefined ? 'MATCH' : forcedClause(query),
    reason: `the server's limits ended the query (${error.message})`,
    help: 'select fewer events with FILTER, or raise max_execution_time and max_memory_usage there',
  };
}
