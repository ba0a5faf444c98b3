import { type Expression, orderedPairs } from '../../expression/index.js';
import { evaluation, listing } from '../answer/driver.js';
import type { Engine } from '../answer/engine.js';
import type { Evaluation } from '../answer/result.js';
import type { Bindings, MatchedBindings, MatchRequest, SessionSource } from '../answer/source.js';
import { runAsync, type Steps } from '../answer/steps.js';
import type { OrderChoice } from '../clocks/order-choice.js';
import type { ExactNumber } from '../exact/number.js';
import { memoize, Undecided } from '../exact/undecided.js';
import type { Query, SessionTimes, Test } from '../query/query.js';
import { MAX_TEXTS } from '../select/value-counts.js';
import { Answers } from './answers.js';
import { absencesOf, forcedClause, keepOnly } from './bindings.js';
import { attributeCell, CellKind, doubleSql, toExact } from './cell.js';
import { reduceTables } from './count-forest.js';
import { type Database, LimitReachedError, literal } from './database.js';
import { describeOnServer, idSql, placesOf } from './evidence.js';
import { groupsOnServer } from './groups.js';
import {
  columnsFor,
  type LabelTable,
  type Scratch,
  selectLabels,
  valueCountsOnServer,
  type Work,
  withScratch,
} from './label-tables.js';

/**
 * Returns an engine for a session on a server. Results are exact and equal the embedded engine's results. An expression
 * is undecided if a server limit is reached, or if numbers need more than 256 bits.
 *
 * @param session the id passed to `loadSession`
 */
export function engineOn(db: Database, session: string): Engine {
  const run = <Value>(work: (source: SessionSource) => Steps<Value>): Promise<Value> =>
    withScratch(db, (makeScratch) => runAsync(work(serverSource(db, session, makeScratch))));
  return {
    evaluate: async (expression, options = {}) => {
      const result = await run((source) => evaluation(source, expression, options));
      return evaluateWithoutClocks(expression, result, options.order);
    },
    bindings: (expression, limit) => run((source) => listing(source, expression, limit)),
  };
}

/**
 * Adapts a server's result to the requested order. A server orders events only by timelines and interactions. Therefore
 * a result requested by clocks is undecided, and a result in an automatic order has a note that it was not compared
 * with the clocks.
 */
function evaluateWithoutClocks(
  expression: Expression,
  result: Evaluation,
  order: OrderChoice | undefined,
): Evaluation {
  const [pair] = orderedPairs(expression);
  if (order === undefined || pair === undefined) return result;
  if (order.isAuto) {
    const note =
      'the order was not compared with the clocks, because ClickHouse uses only messages and timelines';
    return { ...result, notes: [...(result.notes ?? []), note] };
  }
  if (order.by === 'causal') return result;
  const undecidedResult = {
    clause: pair.text,
    reason: 'ClickHouse does not order events by clocks',
    help: 'use the embedded engine, or --order causal',
  };
  return { ...result, status: 'undecided', undecided: undecidedResult, vacuous: false };
}

function serverSource(
  unlimited: Database,
  session: string,
  makeScratch: (db: Database) => Scratch,
): SessionSource {
  const db = undecidedAtLimits(unlimited, 'MATCH');
  return {
    times: memoize(() => timesOnServer(db, session)),
    async size() {
      const count = `select toString(count()) from perturb_events where session = ${literal(session)}`;
      return Number((await db.rows(count))[0]?.[0]);
    },
    async textsOf(attribute) {
      const { kind, text } = attributeCell({ kind: 'attribute', label: 0, name: attribute }, 'e');
      const rows = await db.rows(
        `select distinct ${text} from perturb_events e where session = ${literal(session)} and ${kind} = ${CellKind.string} limit ${MAX_TEXTS}`,
      );
      return rows.map(([text]) => String(text));
    },
    match(request) {
      const limited = undecidedAtLimits(unlimited, forcedClause(request.query));
      return matchOnServer({ db: limited, session, scratch: makeScratch(limited) }, request);
    },
    describe: (expression, times, evidence) =>
      describeOnServer({ db, session }, expression, times, evidence),
    placesOf: (events) => placesOf({ db, session }, events),
  };
}

/** Wraps a database to throw `Undecided` for a clause if a server limit is reached. */
function undecidedAtLimits(db: Database, clause: string): Database {
  const explainErrors = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof LimitReachedError)) throw error;
      const reason = `the query exceeded a server limit (${error.limit})`;
      const help =
        'select fewer events with FILTER, or raise max_execution_time and max_memory_usage on the server';
      throw new Undecided(clause, reason, help);
    }
  };
  return {
    ...db,
    command: (statement) => explainErrors(db.command(statement)),
    rows: (query) => explainErrors(db.rows(query)),
  };
}

/** Reads the earliest and the latest time of a session's events. */
async function timesOnServer(db: Database, session: string): Promise<SessionTimes> {
  const { kind, integerPart, part } = attributeCell(
    { kind: 'attribute', label: 0, name: 'time' },
    'e',
  );
  const times: ExactNumber[] = [];
  for (const order of ['asc', 'desc']) {
    const [row] = await db.rows(
      `select toString(${integerPart} as w), ${doubleSql(`(${part} as p)`)} from perturb_events e where session = ${literal(session)} and ${kind} = ${CellKind.number} order by w ${order}, p ${order} limit 1`,
    );
    if (row !== undefined) times.push(toExact(row[0], row[1]));
  }
  const [start, end] = times;
  return start === undefined || end === undefined ? {} : { start, end };
}

async function matchOnServer(
  target: Pick<Work, 'db' | 'session' | 'scratch'>,
  { query, times }: MatchRequest,
): Promise<MatchedBindings> {
  const work = { ...target, query, columns: await columnsFor(target.db, target.session, query) };
  const { by } = query;
  const selectedTables = await selectLabels(work);
  const groups =
    by && (await groupsOnServer(work, by, selectedTables[by.label] as LabelTable, times));
  const labelTables = groups && by ? selectedTables.with(by.label, groups.table) : selectedTables;
  const tables = await reduceTables(work, labelTables);
  const { tested, remaining, own: absentTables } = await absencesOf(work, tables);
  const answers = new Answers(work, remaining, groups);
  const choices = memoize(() =>
    new Answers({ ...work, query: dropTerms(query) }, tested).counted(),
  );
  return {
    ...makeBindings(answers),
    labels: labelResults(query, tables, absentTables),
    groups,
    async narrowed(to) {
      const label = 'label' in to ? query.labels.indexOf(to.label) : (groups?.label as number);
      const event = 'label' in to ? to.event : groups?.first(to.group);
      const condition = `${'label' in to ? idSql('e') : 'e.g'} = ${event ?? -1}`;
      const narrowedTables = await keepOnly(work, remaining, label, condition);
      return makeBindings(new Answers(work, narrowedTables));
    },
    hasChoice: async () => (await choices()).total > 0n,
    choices: async () => (await choices()).total,
    bindings: (limit) => answers.bindings('1', limit),
    valueCounts(position, attributes) {
      const { number, absence } = query.places[position] as (typeof query.places)[number];
      const ownQuery = absence === undefined ? query : query.absences[absence]?.query;
      return valueCountsOnServer(work, ownQuery?.patterns[number] as Test, attributes);
    },
    async unbound(label, limit) {
      const bound = await answers.boundEvents(label);
      const exclusion = bound === undefined ? '' : ` where (probe, seq) not in (${bound})`;
      const rows = await work.db.rows(
        `select toString(${idSql('e')}) from ${selectedTables[label]?.name} e${exclusion} order by probe, seq limit ${limit}`,
      );
      return rows.map(([id]) => Number(id));
    },
  };
}

function makeBindings(answers: Answers): Bindings {
  return {
    async counted() {
      const { total: number } = await answers.counted();
      const method = answers.trees ? 'join tree' : 'enumeration';
      return { isAny: number > 0n, number, method };
    },
    valuesOf: (term) => answers.valuesOf(term),
    evidence(limit, fixedEvents = new Map()) {
      const events = [...fixedEvents].map(([label, id]) => `${idSql(`l${label}`)} = ${id}`);
      return answers.bindings(events.join(' and ') || '1', limit);
    },
  };
}

function dropTerms({ measures: _, by: __, ...query }: Query): Query {
  return query;
}

/**
 * Returns the labels' results, in the order of MATCH.
 *
 * @param absentTables the absent labels' tables, indexed by absence
 */
function labelResults(
  { places, absences }: Query,
  tables: readonly LabelTable[],
  absentTables: readonly (readonly LabelTable[])[],
): Evaluation['labels'] {
  return places.map(({ label, number, absence }) => {
    if (absence === undefined) {
      const { matched, filtered, size } = tables[number] as LabelTable;
      return { label, matched, filtered, ordered: size };
    }
    const shared = absences[absence]?.shared.length ?? 0;
    const { matched, filtered } = (absentTables[absence] ?? [])[number - shared] as LabelTable;
    return { label, absent: true as const, matched, filtered, ordered: filtered };
  });
}
