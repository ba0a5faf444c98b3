import { aggregatesOf } from '../query/build-terms.js';
import { attributesOfOperand, leavesOfTest, operandsOfLeaf } from '../query/operand.js';
import type { LabelAttribute, Query, Test } from '../query/query.js';
import type { ValueCounts } from '../select/value-counts.js';
import {
  calculatedAttributes,
  operandsOfParts,
  type Scale,
  scaleDemands,
  scaledCell,
  scaleFor,
} from './arithmetic.js';
import { attributeCell, type Cell, CellKind } from './cell.js';
import { conditionSql, type Values } from './condition.js';
import { type Database, literal } from './database.js';

/** The context of one evaluation. */
export interface Work {
  readonly db: Database;
  readonly session: string;
  readonly query: Query;
  readonly scratch: Scratch;
  readonly columns: Columns;
}

/** The columns of attribute values. A column's name ends in the attribute's number. */
interface Columns {
  readonly numbers: Map<string, number>;
  /** The attributes in calculations. */
  readonly calculated: ReadonlySet<string>;
  readonly scale: Scale;
}

/** A table of a label's events, with probe, seq, seg and the attribute values that later steps need. */
export interface LabelTable {
  readonly name: string;
  readonly size: number;
  readonly matched: number;
  readonly filtered: number;
}

/**
 * Returns the columns for a query. If the query contains calculations, reads the session once to determine the scale.
 *
 * @throws {TooWideError}
 */
export async function columnsFor(db: Database, session: string, query: Query): Promise<Columns> {
  const attributesByKey = new Map(
    calculatedAttributes(query).map((attribute) => [keyOf({ ...attribute, label: 0 }), attribute]),
  );
  const columns = {
    numbers: new Map<string, number>(),
    calculated: new Set(attributesByKey.keys()),
  };
  if (attributesByKey.size === 0) return { ...columns, scale: { bits: 0, largest: 1 } };
  const demands = [...attributesByKey.values()].flatMap((attribute) =>
    scaleDemands(attributeCell(attribute, 'e')),
  );
  const [row = []] = await db.rows(
    `select ${demands.join(', ')} from perturb_events e where session = ${literal(session)}`,
  );
  let after = 0;
  let before = 0n;
  for (let at = 0; at + 1 < row.length; at += 2) {
    after = Math.max(after, Number(row[at]));
    const size = BigInt(String(row[at + 1]));
    if (size > before) before = size;
  }
  return { ...columns, scale: scaleFor(after, before) };
}

/** Lists the bound labels' attributes that the query still needs after selecting events. */
function laterAttributes(query: Query): readonly LabelAttribute[] {
  const operands = [
    ...operandsOfParts({ ...query, filters: [] }).flat(),
    ...aggregatesOf(query).flatMap((term) =>
      term.kind === 'aggregate' ? [term.argument] : operandsOfParts(term.condition).flat(),
    ),
    ...(query.by?.keys ?? []).flatMap((key) =>
      key.kind === 'event' ? [] : [key.kind === 'value' ? key.attribute : key.time],
    ),
  ];
  return [
    ...operands.flatMap(attributesOfOperand),
    ...query.absences.flatMap(({ query: absent, shared }) =>
      laterAttributes(absent).flatMap((attribute) => {
        const label = shared[attribute.label];
        return label === undefined ? [] : [{ ...attribute, label }];
      }),
    ),
  ];
}

function operandsOf(test: Test) {
  return leavesOfTest(test).flatMap(operandsOfLeaf);
}

function keyOf({ name, at, isLower }: LabelAttribute): string {
  return JSON.stringify([name, at ?? null, isLower ?? false]);
}

function numberOf({ numbers }: Columns, attribute: LabelAttribute): number {
  const key = keyOf(attribute);
  const number = numbers.get(key) ?? numbers.size;
  numbers.set(key, number);
  return number;
}

/** Returns the SQL of attribute values in a table of events. */
export function columnValues(
  { columns }: Pick<Work, 'columns'>,
  aliasOf: (attribute: LabelAttribute) => string,
): Values {
  const column = (part: string, attribute: LabelAttribute) =>
    `${aliasOf(attribute)}.${part}${numberOf(columns, attribute)}`;
  return {
    cellOf: (attribute): Cell => ({
      kind: column('k', attribute),
      integerPart: column('w', attribute),
      part: column('p', attribute),
      text: column('t', attribute),
    }),
    scaledOf: (attribute) => column('s', attribute),
    scale: columns.scale,
  };
}

/**
 * Selects each label's events by the label's pattern and the FILTER conjuncts on that label alone. Values are in
 * canonical form: equal values are equal in all parts.
 *
 * @param first number of the first label to select
 */
export async function selectLabels(work: Work, first = 0): Promise<readonly LabelTable[]> {
  const { query, scratch, columns, db } = work;
  const remainingAttributes = laterAttributes(query);
  const values = { ...columnValues(work, () => 'e'), nameColumn: 'e.name' };
  const tables: LabelTable[] = [];
  for (const [label, pattern] of query.patterns.entries()) {
    if (label < first) continue;
    const filter: Test = { kind: 'and', operands: query.filters[label] ?? [] };
    const labelAttributes = remainingAttributes.filter((attribute) => attribute.label === label);
    const neededAttributes = [pattern, filter].flatMap(operandsOf).flatMap(attributesOfOperand);
    const matches = conditionSql(pattern, values);
    const filters = conditionSql(filter, values);
    const fromSession = `from (${eventsSql(work, [...neededAttributes, ...labelAttributes])}) e where ${matches}`;
    const [[matched, filtered] = [0, 0]] = (await db.rows(
      `select toString(count()), toString(countIf(${filters})) ${fromSession}`,
    )) as [string, string][];
    const keptColumns = [
      ...new Set(labelAttributes.flatMap((attribute) => columnNames(columns, attribute))),
    ];
    const name = await scratch.table(
      `select ${['probe', 'seq', 'seg', ...keptColumns].join(', ')} ${fromSession} and ${filters}`,
    );
    const size = query.circular.has(label) ? 0 : Number(filtered);
    tables.push({ name, size, matched: Number(matched), filtered: Number(filtered) });
  }
  return tables;
}

/** Counts attributes' values by kind, in the events that match a pattern. */
export async function valueCountsOnServer(
  work: Work,
  pattern: Test,
  attributes: readonly LabelAttribute[],
): Promise<ValueCounts[]> {
  const values = { ...columnValues(work, () => 'e'), nameColumn: 'e.name' };
  const countColumns = attributes.flatMap((attribute) =>
    COMPARED_KINDS.map(([, kind]) => `countIf(${values.cellOf(attribute).kind} = ${kind})`),
  );
  const neededAttributes = [...operandsOf(pattern).flatMap(attributesOfOperand), ...attributes];
  const [row = []] = await work.db.rows(
    `select ${['count()', ...countColumns].map((column) => `toString(${column})`).join(', ')} from (${eventsSql(work, neededAttributes)}) e where ${conditionSql(pattern, values)}`,
  );
  const [events = 0, ...counts] = row.map(Number);
  return attributes.map((_, at) => {
    const countColumns = counts.slice(at * COMPARED_KINDS.length);
    const kinds = COMPARED_KINDS.flatMap(([name], position) =>
      (countColumns[position] as number) > 0 ? [[name, countColumns[position]]] : [],
    );
    return { events, kinds: Object.fromEntries(kinds) };
  });
}

const { missing: _, ...PRESENT_KINDS } = CellKind;
const COMPARED_KINDS = Object.entries(PRESENT_KINDS);

/** Returns the SQL of all events, with the given attributes' values. */
function eventsSql({ session, columns }: Work, attributes: readonly LabelAttribute[]): string {
  const attributesByNumber = new Map(
    attributes.map((attribute) => [numberOf(columns, attribute), attribute]),
  );
  const selectColumns = [...attributesByNumber].map(([at, attribute]) => {
    const { kind, integerPart, part, text } = attributeCell(attribute, 'e');
    const scaledSql = scaledCell(
      { kind, integerPart: `w${at}`, part: `p${at}`, text },
      columns.scale,
    );
    const isCalculated = columns.calculated.has(keyOf(attribute));
    return `, ${kind} as k${at}, if(k${at} = 2, ${integerPart}, toInt256(0)) as w${at}, if(k${at} = 2, ${part}, 0.) as p${at}, if(k${at} > 2, ${text}, '') as t${at}${isCalculated ? `, ${scaledSql} as s${at}` : ''}`;
  });
  return `select e.probe as probe, e.seq as seq, e.seg as seg, e.name as name${selectColumns.join('')} from perturb_events e where session = ${literal(session)}`;
}

function columnNames(columns: Columns, attribute: LabelAttribute): string[] {
  const parts = columns.calculated.has(keyOf(attribute)) ? 'kwpts' : 'kwpt';
  return [...parts].map((part) => `${part}${numberOf(columns, attribute)}`);
}

/** Temporary tables for query results. */
export interface Scratch {
  /** Stores a query's rows in a new table. Returns the table's name. */
  table(query: string): Promise<string>;
}

/**
 * Runs work with separate temporary tables, then drops the tables. A server may refuse to drop tables while it still
 * runs another statement. Such tables are dropped when the connection ends.
 *
 * @param work receives a function that returns a database's scratch tables
 */
export async function withScratch<T>(
  db: Database,
  work: (scratchIn: (db: Database) => Scratch) => Promise<T>,
): Promise<T> {
  const created: string[] = [];
  const prefix = `perturb_scratch_${crypto.randomUUID().replaceAll('-', '')}`;
  const scratchIn = (connection: Database): Scratch => ({
    async table(query) {
      const name = `${prefix}_${created.length}`;
      // Records the name first, because even an interrupted statement may have created the table.
      created.push(name);
      await connection.command(`create temporary table ${name} as ${query}`);
      return name;
    },
  });
  const drop = async (): Promise<void> => {
    for (const name of created) await db.command(`drop temporary table if exists ${name}`);
  };
  try {
    return await work(scratchIn);
  } finally {
    await drop().catch(() => undefined);
  }
}
