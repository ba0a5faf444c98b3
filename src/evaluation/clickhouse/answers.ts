import type { BindingTerm, EventNumbers, GroupValues } from '../answer/source.js';
import { repeatedValue } from '../answer/tally.js';
import { bitLength } from '../exact/number.js';
import { type TermValue, UNDEFINED } from '../exact/term-value.js';
import { memoize } from '../exact/undecided.js';
import { aggregatesOf, labelsOfFilter } from '../query/build-terms.js';
import type { AggregateTerm, ShareTerm } from '../query/query.js';
import { aggregateOnServer, emptyValue, type WeightedRows } from './aggregate.js';
import { TooWideError } from './arithmetic.js';
import {
  addJoinClocks,
  type JoinedTables,
  joinedBindings,
  matchesNothing,
  type RemainingBindings,
} from './bindings.js';
import { partsSql } from './condition.js';
import { countForest, type ForestCounts, findTrees, reduceTables } from './count-forest.js';
import { idSql } from './evidence.js';
import type { ServerGroups } from './groups.js';
import { columnValues, type LabelTable, type Work } from './label-tables.js';

/** A query's bindings on the server, and the values of terms over the bindings, one per group. */
export class Answers {
  /** The labels' join trees, if only arrows relate the labels and the arrows form no cycle. */
  readonly trees: ReturnType<typeof findTrees>;
  /** Returns all bindings as a join. */
  readonly joined: () => Promise<JoinedTables>;
  readonly counted: () => Promise<ForestCounts>;
  readonly #reduced: () => ReturnType<typeof reduceTables>;

  constructor(
    readonly work: Work,
    readonly remaining: RemainingBindings,
    readonly groups?: ServerGroups,
  ) {
    this.trees = remaining.conditions.length === 0 ? findTrees(work.query) : undefined;
    this.joined = memoize(() => this.#join());
    this.counted = memoize(() => this.#count());
    this.#reduced = memoize(() => reduceTables(work, remaining.tables));
  }

  /** True if there are evidently no bindings, without running a join. */
  get isEmpty(): boolean {
    const { remaining, work } = this;
    return remaining.isForbidden || matchesNothing(work, remaining.tables);
  }

  async #join(): Promise<JoinedTables> {
    const { work, remaining } = this;
    const tables = await addJoinClocks(work, remaining.tables);
    return joinedBindings(work, tables, remaining.conditions);
  }

  /**
   * Returns the bindings that the server finds first, up to `limit`.
   *
   * @param condition an SQL condition on the labels
   */
  async bindings(condition: string, limit: number): Promise<EventNumbers[]> {
    if (this.isEmpty) return [];
    const { labels } = this.work.query;
    const ids = labels.map((_, label) => `toString(${idSql(`l${label}`)})`).join(', ') || '1';
    const { sql } = await this.joined();
    const rows = await this.work.db.rows(`select ${ids} ${sql} and ${condition} limit ${limit}`);
    return rows.map((row) => new Map(labels.map((label, at) => [label, Number(row[at])])));
  }

  /** Returns the SQL of a label's bound events, with `probe` and `seq`; undefined if no event is bound. */
  async boundEvents(label: number): Promise<string | undefined> {
    if (this.isEmpty) return undefined;
    if (this.trees === undefined) {
      return `select l${label}.probe, l${label}.seq ${(await this.joined()).sql}`;
    }
    // In a tree, every event that satisfies the arrows is in a binding.
    const tables = await this.#reduced();
    const isNone = tables.some(({ size }) => size === 0);
    return isNone ? undefined : `select probe, seq from ${tables[label]?.name}`;
  }

  async #count(): Promise<ForestCounts> {
    const { work, remaining } = this;
    if (this.isEmpty) return { total: 0n, of: new Map() };
    const wantedLabels = this.#wanted();
    if (this.trees !== undefined) {
      const bits = remaining.tables.reduce((sum, { size }) => sum + bitLength(BigInt(size + 1)), 0);
      if (bits >= 250) throw new TooWideError('more bindings than 256 bits can count');
      return countForest(work, remaining.tables, this.trees, wantedLabels);
    }
    const { sql } = await this.joined();
    const of = new Map<number, { table: string; factor: bigint }>();
    for (const label of wantedLabels) {
      const table = await work.scratch.table(
        `select l${label}.probe as probe, l${label}.seq as seq, toUInt256(count()) as c ${sql} group by probe, seq`,
      );
      of.set(label, { table, factor: 1n });
    }
    const [row] = await work.db.rows(`select toString(count()) ${sql}`);
    return { total: BigInt(String(row?.[0])), of };
  }

  /** Returns the labels for which the number of bindings of each event is needed. */
  #wanted(): ReadonlySet<number> {
    const key = this.groups?.label;
    const labels = aggregatesOf(this.work.query).flatMap((term) => {
      const termLabels = term.kind === 'share' ? labelsOfFilter(term.condition) : term.labels;
      return termLabels.length === 1 && (key === undefined || key === termLabels[0])
        ? termLabels
        : [];
    });
    return new Set(key === undefined ? labels : [...labels, key]);
  }

  async valuesOf(term: BindingTerm): Promise<GroupValues> {
    switch (term.kind) {
      case 'count':
        return { values: (await this.#counts()).map(countValue) };
      case 'share':
        return { values: await this.#shares(term) };
      case 'aggregate':
        return this.#aggregate(term);
    }
  }

  #forAll(value: TermValue): TermValue[] {
    return new Array<TermValue>(this.groups?.size ?? 1).fill(value);
  }

  async #aggregate(term: AggregateTerm): Promise<GroupValues> {
    if (term.labels.length === 0) {
      return { values: (await this.#counts()).map((count) => repeatedValue(term, count)) };
    }
    const values = this.#forAll(emptyValue(term));
    const { total } = await this.counted();
    if (total === 0n || term.argument.kind === 'nothing') return { values };
    const groupValues = await aggregateOnServer(
      this.work.db,
      term,
      await this.#rowsOf(term.labels),
    );
    for (const { group, value } of groupValues) values[this.#placeOf(group)] = value;
    const events = this.groups === undefined ? groupValues[0]?.events : undefined;
    if (events === undefined) return { values };
    return {
      values,
      events: new Map(term.labels.map((label, at) => [label, events[at] as number])),
    };
  }

  #placeOf(group: string): number {
    return this.groups?.placeOf.get(group) ?? 0;
  }

  /** Returns a single label's events with their counts, if available; otherwise returns the bindings. */
  async #rowsOf(labels: readonly number[]): Promise<WeightedRows> {
    const key = this.groups?.label;
    const [label, otherLabel] = labels;
    const isOfKey = key === undefined || key === label;
    const counts = (await this.counted()).of.get(label ?? -1);
    if (label !== undefined && otherLabel === undefined && isOfKey && counts !== undefined) {
      const { name } = this.remaining.tables[label] as LabelTable;
      return {
        from: `from ${name} l join ${counts.table} z on z.probe = l.probe and z.seq = l.seq where c > 0${key === undefined ? '' : ' and l.g > 0'}`,
        values: columnValues(this.work, () => 'l'),
        group: key === undefined ? 'toUInt64(0)' : 'l.g',
        count: 'z.c',
        events: `[${idSql('l')}]`,
        factor: counts.factor,
      };
    }
    const { sql, values } = await this.joined();
    return {
      from: `${sql}${key === undefined ? '' : ` and l${key}.g > 0`}`,
      values,
      group: key === undefined ? 'toUInt64(0)' : `l${key}.g`,
      count: 'toUInt256(1)',
      events: `[${labels.map((label) => idSql(`l${label}`)).join(', ')}]`,
      factor: 1n,
    };
  }

  /** Counts each group's bindings. */
  async #counts(): Promise<readonly bigint[]> {
    const { total } = await this.counted();
    return this.groups === undefined ? [total] : this.#sums('1', [this.groups.label]);
  }

  /** Counts each group's bindings that satisfy an SQL condition on some labels. */
  async #sums(condition: string, labels: readonly number[]): Promise<bigint[]> {
    const sums = this.#forAll(UNDEFINED).map(() => 0n);
    if ((await this.counted()).total === 0n) return sums;
    const { from, group, count, factor } = await this.#rowsOf(labels);
    const rows = await this.work.db.rows(
      `select toString(${group}) as of, toString(sum(${count})) ${from} and ${condition} group by of`,
    );
    for (const [of, sum] of rows) sums[this.#placeOf(String(of))] = BigInt(String(sum)) * factor;
    return sums;
  }

  async #shares({ condition }: ShareTerm): Promise<readonly TermValue[]> {
    const allCounts = await this.#counts();
    const labels = labelsOfFilter(condition);
    const { values } = await this.#rowsOf(labels);
    const heldSums = await this.#sums(partsSql(condition, values), labels);
    return allCounts.map((d, group) =>
      d === 0n ? UNDEFINED : { is: 'number', value: { n: heldSums[group] as bigint, d } },
    );
  }
}

function countValue(count: bigint): TermValue {
  return { is: 'number', value: { n: count, d: 1n } };
}
