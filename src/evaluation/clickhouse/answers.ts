import type { ExtremeBinding } from '../answer/listing.js';
import { bitLength } from '../exact/number.js';
import { calculateTerms, type TermValue, UNDEFINED, valueOfConstant } from '../exact/term-value.js';
import { aggregatesOf, keyOfTerm, labelsOfFilter } from '../query/build-terms.js';
import type { AggregateTerm, BaselineTerm, QueryTerm, ShareTerm } from '../query/query.js';
import { aggregateOnServer, valueOfNone, type WeightedRows } from './aggregate.js';
import { TooWide } from './arithmetic.js';
import {
  type Joined,
  joinable,
  joinedBindings,
  matchesNothing,
  type Remaining,
} from './bindings.js';
import { partsSql } from './condition.js';
import { type CountedForest, countForest, reduceTables, treesOf } from './count-forest.js';
import { idSql } from './evidence.js';
import type { ServerGroups } from './groups.js';
import { columnValues, type LabelTable, type Work } from './label-tables.js';

/** The values of terms, one for each group; each is asked for once. */
export class Answers {
  readonly #values = new Map<string, Promise<readonly TermValue[]>>();
  /** With labels and events by their numbers. */
  readonly extremes: ExtremeBinding[] = [];
  /** The trees of the labels, if only arrows relate them, and these form no cycle. */
  readonly trees: ReturnType<typeof treesOf>;
  #counted: Promise<CountedForest> | undefined;
  #joined: Promise<Joined> | undefined;
  #reduced: ReturnType<typeof reduceTables> | undefined;

  constructor(
    readonly work: Work,
    readonly remaining: Remaining,
    readonly groups?: ServerGroups,
    readonly baseline: (term: BaselineTerm) => TermValue = () => UNDEFINED,
  ) {
    this.trees = remaining.conditions.length === 0 ? treesOf(work.query) : undefined;
  }

  /** Whether it is known before any join that there is no binding. */
  get isEmpty(): boolean {
    const { remaining, work } = this;
    return remaining.isForbidden || matchesNothing(work, remaining.tables);
  }

  joined(): Promise<Joined> {
    this.#joined ??= this.#join();
    return this.#joined;
  }

  async #join(): Promise<Joined> {
    const { work, remaining } = this;
    const tables = await joinable(work, remaining.tables);
    return joinedBindings(work, tables, remaining.conditions);
  }

  /**
   * The bindings that the server finds first, at most `limit`: for each label, the number of its event.
   *
   * @param condition one on the labels, in SQL
   */
  async bindings(condition: string, limit: number): Promise<ReadonlyMap<string, number>[]> {
    if (this.isEmpty) return [];
    const { labels } = this.work.query;
    const ids = labels.map((_, label) => `toString(${idSql(`l${label}`)})`).join(', ') || '1';
    const { sql } = await this.joined();
    const rows = await this.work.db.rows(`select ${ids} ${sql} and ${condition} limit ${limit}`);
    return rows.map((row) => new Map(labels.map((label, at) => [label, Number(row[at])])));
  }

  /** The events of a label that are in a binding, in SQL: their `probe` and `seq`; undefined if none is. */
  async boundEvents(label: number): Promise<string | undefined> {
    if (this.isEmpty) return undefined;
    if (this.trees === undefined) {
      return `select l${label}.probe, l${label}.seq ${(await this.joined()).sql}`;
    }
    // Events that the arrows of a tree leave take part in a binding.
    this.#reduced ??= reduceTables(this.work, this.remaining.tables);
    const tables = await this.#reduced;
    const isNone = tables.some(({ size }) => size === 0);
    return isNone ? undefined : `select probe, seq from ${tables[label]?.name}`;
  }

  counted(): Promise<CountedForest> {
    this.#counted ??= this.#count();
    return this.#counted;
  }

  async #count(): Promise<CountedForest> {
    const { work, remaining } = this;
    if (this.isEmpty) return { total: 0n, of: new Map() };
    const wanted = this.#wanted();
    if (this.trees !== undefined) {
      const bits = remaining.tables.reduce((sum, { size }) => sum + bitLength(BigInt(size + 1)), 0);
      if (bits >= 250) throw new TooWide('more bindings than 256 bits can count');
      return countForest(work, remaining.tables, this.trees, wanted);
    }
    const { sql } = await this.joined();
    const of = new Map<number, { table: string; factor: bigint }>();
    for (const label of wanted) {
      const table = await work.scratch.table(
        `select l${label}.probe as probe, l${label}.seq as seq, toUInt256(count()) as c ${sql} group by probe, seq`,
      );
      of.set(label, { table, factor: 1n });
    }
    const [row] = await work.db.rows(`select toString(count()) ${sql}`);
    return { total: BigInt(String(row?.[0])), of };
  }

  /** The labels for whose events the number of bindings with each is needed. */
  #wanted(): ReadonlySet<number> {
    const key = this.groups?.label;
    const labels = aggregatesOf(this.work.query).flatMap((term) => {
      const own = term.kind === 'share' ? labelsOfFilter(term.condition) : term.labels;
      return own.length === 1 && (key === undefined || key === own[0]) ? own : [];
    });
    return new Set(key === undefined ? labels : [...labels, key]);
  }

  values(term: QueryTerm): Promise<readonly TermValue[]> {
    const key = keyOfTerm(term);
    const known = this.#values.get(key) ?? this.#valuesOf(term);
    this.#values.set(key, known);
    return known;
  }

  async #valuesOf(term: QueryTerm): Promise<readonly TermValue[]> {
    switch (term.kind) {
      case 'constant':
        return this.#forAll(valueOfConstant(term.value));
      case 'baseline':
        return this.#forAll(this.baseline(term));
      case 'count':
        return this.#counts();
      case 'share':
        return this.#shares(term);
      case 'aggregate':
        return this.#aggregate(term);
      case 'arithmetic': {
        let values = await this.values(term.first);
        for (const { sign, term: other } of term.rest) {
          const others = await this.values(other);
          values = values.map((value, group) =>
            calculateTerms(sign, value, others[group] as TermValue),
          );
        }
        return values;
      }
    }
  }

  #forAll(value: TermValue): TermValue[] {
    return new Array<TermValue>(this.groups?.size ?? 1).fill(value);
  }

  async #aggregate(term: AggregateTerm): Promise<readonly TermValue[]> {
    const values = this.#forAll(valueOfNone(term));
    const { argument } = term;
    const isOfNone = argument.kind !== 'attribute' && argument.kind !== 'sum';
    const { total } = await this.counted();
    if (total === 0n || isOfNone || term.labels.length === 0) return values;
    const { carries } = term.function;
    const rows = await this.#rowsOf(term.labels);
    for (const { group, value, events } of await aggregateOnServer(this.work.db, term, rows)) {
      values[this.#placeOf(group)] = value;
      if (carries.kind !== 'extreme' || events === undefined || this.groups !== undefined) continue;
      const own = new Map(term.labels.map((label, at) => [label, events[at] as number]));
      this.extremes.push({ why: carries.end, of: term.text, events: own });
    }
    return values;
  }

  #placeOf(group: string): number {
    return this.groups?.placeOf.get(group) ?? 0;
  }

  /** The events of a label with their counts, if that is enough; otherwise the bindings. */
  async #rowsOf(labels: readonly number[]): Promise<WeightedRows> {
    const key = this.groups?.label;
    const [label, other] = labels;
    const isOfKey = key === undefined || key === label;
    const counts = (await this.counted()).of.get(label ?? -1);
    if (label !== undefined && other === undefined && isOfKey && counts !== undefined) {
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
      events: `[${labels.map((one) => idSql(`l${one}`)).join(', ')}]`,
      factor: 1n,
    };
  }

  /** How many bindings each group has. */
  async #counts(): Promise<readonly TermValue[]> {
    const { total } = await this.counted();
    if (this.groups === undefined) return [countOf(total)];
    return (await this.#sums('1', [this.groups.label])).map(countOf);
  }

  /** How many bindings of each group satisfy a condition on some labels. */
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
    const all = await this.values({ kind: 'count' });
    const labels = labelsOfFilter(condition);
    const { values } = await this.#rowsOf(labels);
    const held = await this.#sums(partsSql(condition, values), labels);
    return all.map((count, group) => {
      const d = count.is === 'number' ? count.value.n : 0n;
      return d === 0n ? UNDEFINED : { is: 'number', value: { n: held[group] as bigint, d } };
    });
  }
}

function countOf(count: bigint): TermValue {
  return { is: 'number', value: { n: count, d: 1n } };
}
