import type { Expression } from '../../expression/index.js';
import { baselineOf, readsBaseline } from '../answer/baseline.js';
import type { Engine } from '../answer/engine.js';
import type { EvaluateOptions } from '../answer/evaluate.js';
import {
  type AggregateOutcome,
  isUnmatched,
  judgeAll,
  judgeGroups,
  type MeasuredSides,
} from '../answer/judge.js';
import {
  type Evaluation,
  type Evidence,
  nothingKnown,
  type UndecidedReason,
  verdictOf,
  whyUndecided,
} from '../answer/result.js';
import type { Exact } from '../exact/number.js';
import { Undecided } from '../exact/undecided.js';
import { buildQuery } from '../query/build-query.js';
import type { Query, SessionTimes } from '../query/query.js';
import { type Remaining, selectAbsent, withoutAbsent } from './absences.js';
import { Answers } from './answers.js';
import { TooWide } from './arithmetic.js';
import { bindingsOf, evidenceOf, forcedClause } from './bindings.js';
import { attributeCell, CellKind, doubleSql, exactOf } from './cell.js';
import { reduceTables } from './count-forest.js';
import { type Database, LimitReached, literal } from './database.js';
import { groupsOnServer, type ServerGroups } from './groups.js';
import {
  columnsFor,
  type LabelTable,
  selectLabels,
  type Work,
  withScratch,
} from './label-tables.js';

/** The query of an expression, and the times of the session where it asks for them. */
interface TimedQuery {
  readonly query: Query;
  readonly times: SessionTimes;
}

async function queryOf(db: Database, session: string, expression: Expression): Promise<TimedQuery> {
  let isAsked = false;
  const query = buildQuery(expression, () => {
    isAsked = true;
    return {};
  });
  const isTimed = isAsked || query.by?.keys.some(({ kind }) => kind === 'window') === true;
  if (!isTimed) return { query, times: {} };
  const times = await timesOnServer(db, session);
  return { query: buildQuery(expression, () => times), times };
}

/** The least and the greatest time of a session's events. */
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
 * this process. Where a limit of the server is met, or numbers are too far apart to be calculated
 * with in 256 bits, an expression is undecided.
 *
 * @param session the id that was given to `loadSession`
 */
export function engineOn(db: Database, session: string): Engine {
  return {
    evaluate: async (expression, options = {}) => {
      let query: Query | undefined;
      try {
        const timed = await queryOf(db, session, expression);
        query = timed.query;
        return await withScratch(db, async (scratch) => {
          const columns = await columnsFor(db, session, timed.query);
          const work = { db, session, query: timed.query, columns, scratch };
          return evaluateQuery(expression, work, timed.times, options);
        });
      } catch (error) {
        const reason = reasonOf(error, query);
        if (reason === undefined) throw error;
        return nothingKnown(expression, reason);
      }
    },
    bindings: async (expression, limit) => {
      try {
        const query = withoutTerms((await queryOf(db, session, expression)).query);
        return await withScratch(db, async (scratch) => {
          const columns = await columnsFor(db, session, query);
          const work: Work = { db, session, query, columns, scratch };
          const tables = await reduceTables(work, await selectLabels(work));
          const answers = new Answers(work, (await absencesOf(work, tables)).remaining);
          return answers.isEmpty ? [] : bindingsOf(work, await answers.joined(), '1', limit);
        });
      } catch (error) {
        if (reasonOf(error) !== undefined) return undefined;
        throw error;
      }
    },
  };
}

/** What absences leave, and what is left but for those that are written as NOT. */
async function absencesOf(work: Work, tables: readonly LabelTable[]) {
  const { query } = work;
  const isOfMatch = query.absences.map((_, at) =>
    query.places.some(({ absence }) => absence === at),
  );
  const own: (readonly LabelTable[])[] = [];
  for (const absence of query.absences) own.push(await selectAbsent(work, absence));
  const without = async (from: Remaining, which: boolean): Promise<Remaining> => {
    let remaining = from;
    for (const [at, absence] of query.absences.entries()) {
      if (isOfMatch[at] !== which) continue;
      remaining = await withoutAbsent(work, remaining, absence, own[at] as readonly LabelTable[]);
    }
    return remaining;
  };
  const tested = await without({ tables, conditions: [], isForbidden: false }, false);
  return { tested, remaining: await without(tested, true), own };
}

async function evaluateQuery(
  expression: Expression,
  work: Work,
  times: SessionTimes,
  { evidence: limit = 0, expected, baseline: before = [] }: EvaluateOptions,
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
  const selected = await selectLabels(work);
  const { by } = query;
  const groups = by && (await groupsOnServer(work, by, selected[by.label] as LabelTable, times));
  const all = groups && by ? selected.with(by.label, groups.table) : selected;
  const tables = await reduceTables(work, all);
  const { tested, remaining, own } = await absencesOf(work, tables);
  const baseline = baselineOf(expression, query, before);
  const answers = new Answers(work, remaining, groups, baseline);
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
      : by && groups
        ? await withKeys(judgeGroups(by, groups, measured), groups)
        : judgeAll(measured);
  const found = limit < 1 ? [] : await attempt(() => evidenceFor(answers, outcome, groups, limit));
  const labels = query.places.map(({ label, number, absence }) => {
    if (absence === undefined) {
      const { matched, filtered, size } = tables[number] as LabelTable;
      return { label, matched, filtered, ordered: size };
    }
    const shared = query.absences[absence]?.shared.length ?? 0;
    const { matched, filtered } = (own[absence] ?? [])[number - shared] as LabelTable;
    return { label, matched, filtered, ordered: filtered };
  });
  const isAbsent = query.places.some(({ absence }) => absence !== undefined);
  const isUntested =
    isAbsent &&
    counted?.total === 0n &&
    (await attempt(() => new Answers({ ...work, query: withoutTerms(query) }, tested).counted()))
      ?.total === 0n;
  const vacuous = isUnmatched(expression, labels, expected) || groups?.all === 0 || isUntested;
  const hasBaseline = before.length > 0 || !readsBaseline(query);
  return {
    ...verdictOf(hasBaseline ? outcome.holds : undefined, reasons),
    ...(counted !== undefined && { bindings: String(counted.total) }),
    measures: outcome.measures,
    labels,
    vacuous,
    ...(outcome.groups !== undefined && { groups: outcome.groups }),
    ...(outcome.margin !== undefined && !vacuous && { margin: outcome.margin }),
    evidence: found ?? [],
    method: answers.trees ? 'join tree' : 'enumeration',
  };
}

function withoutTerms({ measures: _, by: __, ...query }: Query): Query {
  return query;
}

/** What the worst groups have in common is asked for when they are known. */
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

/** Where a group is the worst one, its bindings show it, and its event where it has none. */
async function evidenceFor(
  answers: Answers,
  { worst }: AggregateOutcome,
  groups: ServerGroups | undefined,
  limit: number,
): Promise<readonly Evidence[]> {
  const { work } = answers;
  if (groups === undefined) {
    if (answers.isEmpty) return [];
    return evidenceOf(work, await answers.joined(), answers.extremes, limit);
  }
  const [group] = worst ?? [];
  const only = group === undefined ? undefined : groups.only(group, `l${groups.label}`);
  if (group === undefined || only === undefined) return [];
  const [binding] = answers.isEmpty ? [] : await bindingsOf(work, await answers.joined(), only, 1);
  const label = work.query.labels[groups.label] as string;
  return [{ why: 'group', binding: binding ?? { [label]: await groups.firstOf(group) } }];
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
