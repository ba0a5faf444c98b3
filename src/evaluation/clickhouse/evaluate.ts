import type { Expression } from '../../expression/index.js';
import type { Engine } from '../answer/engine.js';
import { allHold, isUnmatched, leastMargin } from '../answer/judge.js';
import {
  type Evaluation,
  type MeasureResult,
  measureResult,
  nothingKnown,
  type UndecidedReason,
  verdictOf,
  whyUndecided,
} from '../answer/result.js';
import { bitLength } from '../exact/number.js';
import { calculateTerms, type TermValue, UNDEFINED, valueOfConstant } from '../exact/term-value.js';
import { Undecided } from '../exact/undecided.js';
import { buildQuery } from '../query/build-query.js';
import { keyOfTerm, partsOfTerm, sidesOf } from '../query/build-terms.js';
import type { Query, QueryTerm } from '../query/query.js';
import { extreme, sumOnServer, weightedSums } from './aggregate.js';
import {
  bindingsOf,
  bindingsSql,
  type ExtremeEvent,
  evidenceOf,
  joinable,
  matchesNothing,
} from './bindings.js';
import { type CountedForest, countForest, reduceTables, treesOf } from './count-forest.js';
import { type Database, LimitReached, notOnServer } from './database.js';
import {
  columnCell,
  type LabelTable,
  scaleOf,
  selectLabels,
  TooWide,
  type Work,
  withScratch,
} from './label-tables.js';

/** @throws {Undecided} for what the server does not evaluate: never a wrong verdict */
function queryOf(expression: Expression): Query {
  const query = buildQuery(expression, () => {
    throw notOnServer('session.start, session.end');
  });
  if (query.absences.length > 0) throw notOnServer('NOT, NEXT');
  if (query.concurrent.length > 0) throw notOnServer('||');
  return query;
}

/**
 * The engine of a server, over a session that it has: exact, and with the same result as the one of
 * this process. Where a limit of the server is met, or numbers are too far apart to be added in 256
 * bits, an expression is undecided.
 *
 * @param session the id that was given to `loadSession`
 */
export function engineOn(db: Database, session: string): Engine {
  return {
    evaluate: async (expression, { evidence = 0, expected } = {}) => {
      try {
        const query = queryOf(expression);
        const work = { db, session, query };
        return await withScratch(db, (scratch) =>
          evaluateQuery(expression, { ...work, scratch }, evidence, expected),
        );
      } catch (error) {
        if (!(error instanceof Undecided)) throw error;
        return nothingKnown(expression, whyUndecided(error));
      }
    },
    bindings: async (expression, limit) => {
      try {
        const { measures: _, ...query } = queryOf(expression);
        return await withScratch(db, async (scratch) => {
          const scale = await scaleOf(db, session, query);
          const work: Work = { db, session, query, scratch, scale };
          const tables = await reduceTables(work, await selectLabels(work));
          return bindingsOf(work, await joinable(work, tables), '1', limit);
        });
      } catch (error) {
        const isKnown = [TooWide, LimitReached, Undecided].some((one) => error instanceof one);
        if (isKnown) return undefined;
        throw error;
      }
    },
  };
}

async function evaluateQuery(
  expression: Expression,
  bare: Work,
  limit: number,
  expected: readonly string[] | undefined,
): Promise<Evaluation> {
  const { query } = bare;
  const reasons: UndecidedReason[] = [];
  const attempt = async <Value>(work: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (error) {
      const reason = reasonOf(error, query);
      if (reason === undefined) throw error;
      reasons.push(reason);
      return undefined;
    }
  };
  if (query.by !== undefined) throw notOnServer('BY');
  const scale = await attempt(() => scaleOf(bare.db, bare.session, query));
  const work: Work = { ...bare, scale };
  const [reason] = reasons;
  if (reason !== undefined) return nothingKnown(expression, reason);
  const tables = await reduceTables(work, await selectLabels(work));
  const isPlain = query.joins.length + query.others.length === 0;
  const trees = isPlain ? treesOf(query) : undefined;
  const answers = new Answers(work, tables, trees);
  const counted = await attempt(() => answers.counted());
  const measures: MeasureResult[] = [];
  for (const measure of query.measures ?? []) {
    const left = await attempt(() => answers.value(measure.left));
    const right = await attempt(() => answers.value(measure.right));
    measures.push(measureResult(measure, left, right));
  }
  const isTrue = query.measures === undefined ? counted && counted.total > 0n : allHold(measures);
  const found =
    limit < 1
      ? []
      : await attempt(async () => {
          return evidenceOf(work, await answers.joined(), answers.extremes, limit);
        });
  const margin = leastMargin(measures);
  const labels = query.labels.map((label, at) => {
    const { matched, filtered, size } = tables[at] as LabelTable;
    return { label, matched, filtered, ordered: size };
  });
  const vacuous = isUnmatched(expression, labels, expected);
  return {
    ...verdictOf(isTrue, reasons),
    ...(counted !== undefined && { bindings: String(counted.total) }),
    ...(margin !== undefined && !vacuous && { margin }),
    measures,
    labels,
    vacuous,
    evidence: found ?? [],
    method: trees ? 'join tree' : 'enumeration',
  };
}

/** The values of terms, each asked for once. */
class Answers {
  readonly #values = new Map<string, Promise<TermValue>>();
  readonly extremes: ExtremeEvent[] = [];
  #counted: Promise<CountedForest> | undefined;
  #joined: Promise<readonly LabelTable[]> | undefined;

  /** @param trees where nothing but arrows relates labels, and these make no cycle */
  constructor(
    readonly work: Work,
    readonly tables: readonly LabelTable[],
    readonly trees: ReturnType<typeof treesOf>,
  ) {}

  /** The tables for joins. */
  joined(): Promise<readonly LabelTable[]> {
    this.#joined ??= joinable(this.work, this.tables);
    return this.#joined;
  }

  counted(): Promise<CountedForest> {
    this.#counted ??= this.#count();
    return this.#counted;
  }

  async #count(): Promise<CountedForest> {
    const { query, db } = this.work;
    if (matchesNothing(this.work, this.tables)) return { total: 0n, of: new Map() };
    const wanted = wantedLabels(query);
    if (this.trees !== undefined) {
      const bits = this.tables.reduce((sum, { size }) => sum + bitLength(BigInt(size + 1)), 0);
      if (bits >= 255) throw new TooWide('more bindings than 256 bits can count');
      return countForest(this.work, this.tables, this.trees, wanted);
    }
    const all = bindingsSql(this.work, await this.joined());
    const of = new Map<number, { table: string; factor: bigint }>();
    for (const label of wanted) {
      const table = await this.work.scratch.table(
        `select l${label}.probe as probe, l${label}.seq as seq, toUInt256(count()) as c ${all} group by probe, seq`,
      );
      of.set(label, { table, factor: 1n });
    }
    const [row] = await db.rows(`select toString(count()) ${all}`);
    return { total: BigInt(String(row?.[0])), of };
  }

  value(term: QueryTerm): Promise<TermValue> {
    const key = keyOfTerm(term);
    const known = this.#values.get(key) ?? this.#value(term);
    this.#values.set(key, known);
    return known;
  }

  async #value(term: QueryTerm): Promise<TermValue> {
    if (term.kind === 'constant') return valueOfConstant(term.value);
    if (term.kind === 'arithmetic') {
      let value = await this.value(term.first);
      for (const { sign, term: other } of term.rest) {
        value = calculateTerms(sign, value, await this.value(other));
      }
      return value;
    }
    if (term.kind === 'share' || term.kind === 'baseline') throw notOnServer(term.text);
    if (term.kind === 'aggregate') {
      const { kind } = term.function.carries;
      if (kind === 'distinct' || kind === 'percentile') throw notOnServer(term.text);
    }
    const { total, of } = await this.counted();
    if (term.kind === 'count') return { is: 'number', value: { n: total, d: 1n } };
    const { argument, labels, text } = term;
    const { carries, fewest } = term.function;
    const [label] = labels;
    if (total === 0n || label === undefined) return UNDEFINED;
    if (argument.kind === 'sum') {
      return sumOnServer(this.work, await this.joined(), term.function, argument);
    }
    const counts = of.get(label);
    if (argument.kind !== 'attribute' || counts === undefined) return UNDEFINED;
    const table = (this.tables[label] as LabelTable).name;
    const input = {
      from: `from ${table} l join ${counts.table} z on z.probe = l.probe and z.seq = l.seq where c > 0`,
      cell: columnCell(this.work.query, argument, 'l'),
      factor: counts.factor,
    };
    if (carries.kind === 'moments') return weightedSums(this.work.db, carries, fewest, input);
    if (carries.kind !== 'extreme') return UNDEFINED;
    const { value, event } = await extreme(this.work.db, carries.end, input);
    if (event !== undefined) this.extremes.push({ why: carries.end, of: text, label, event });
    return value;
  }
}

function wantedLabels(query: Query): ReadonlySet<number> {
  const terms = sidesOf(query).flatMap(partsOfTerm);
  return new Set(
    terms.flatMap((term) =>
      term.kind === 'aggregate' && term.argument.kind === 'attribute' ? term.labels : [],
    ),
  );
}

function reasonOf(error: unknown, query: Query): UndecidedReason | undefined {
  if (error instanceof Undecided) return whyUndecided(error);
  if (error instanceof TooWide) {
    return {
      clause: 'AGGREGATE',
      reason: error.message,
      help: 'the embedded engine adds numbers of any size',
    };
  }
  if (!(error instanceof LimitReached)) return undefined;
  const [join] = query.joins;
  return {
    clause: join?.text ?? query.others[0]?.text ?? 'WHEN',
    reason: `the server's limits ended the query (${error.message})`,
    help: 'select fewer events with FILTER, or raise max_execution_time and max_memory_usage there',
  };
}
