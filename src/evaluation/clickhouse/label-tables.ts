import { attributesOfOperand, leavesOfTest, operandsOfLeaf } from '../query/operand.js';
import type { AttributeOf, Query } from '../query/query.js';
import { attributeCell, type Cell } from './cell.js';
import {
  attributesOfSums,
  conditionSql,
  demandsOf,
  type Scale,
  scaleFor,
  sumsOf,
} from './condition.js';
import { type Database, literal } from './database.js';

/** What one evaluation works with. */
export interface Work {
  readonly db: Database;
  readonly session: string;
  readonly query: Query;
  readonly scratch: Scratch;
  /** Undefined where the query has no sums. */
  readonly scale?: Scale | undefined;
}

/** The events of a label: a table with probe, seq, seg and the values that are asked for later. */
export interface LabelTable {
  readonly name: string;
  readonly size: number;
  readonly matched: number;
  readonly filtered: number;
}

/** Sums whose values don't fit together into 256 bits. */
export class TooWide extends Error {
  override readonly name = 'TooWide';
}

/**
 * The scale for the sums of a query, by one pass over the session for those that have any.
 *
 * @throws {TooWide}
 */
export async function scaleOf(
  db: Database,
  session: string,
  query: Query,
): Promise<Scale | undefined> {
  const sums = sumsOf(query);
  if (sums.length === 0) return undefined;
  const demands = attributesOfSums(sums).flatMap((attribute) =>
    demandsOf(attributeCell(attribute, 'e')),
  );
  const asked = demands.length === 0 ? '0' : demands.join(', ');
  const [row = []] = await db.rows(
    `select ${asked} from perturb_events e where session = ${literal(session)}`,
  );
  let behind = 0;
  let before = 0n;
  for (let at = 0; at + 1 < row.length; at += 2) {
    behind = Math.max(behind, Number(row[at]));
    const size = BigInt(String(row[at + 1]));
    if (size > before) before = size;
  }
  const scale = scaleFor(sums, behind, before);
  if (scale === undefined) throw new TooWide('numbers too far apart to be added exactly');
  return scale;
}

/** The values of a label that are needed beyond its selection, each once. */
function wantedOf(query: Query, label: number): readonly AttributeOf[] {
  const operands = [
    ...query.joins.flatMap(({ left, right }) => [left, right]),
    ...query.others.flatMap(({ test }) => leavesOfTest(test).flatMap(operandsOfLeaf)),
    ...(query.measures ?? [])
      .flatMap(({ left, right }) => [left, right])
      .flatMap((term) => (term.kind === 'aggregate' ? [term.argument] : [])),
  ];
  const byKey = new Map<string, AttributeOf>();
  for (const attribute of operands.flatMap(attributesOfOperand)) {
    if (attribute.label === label) byKey.set(keyOf(attribute), attribute);
  }
  return [...byKey.values()];
}

function keyOf({ name, at }: AttributeOf): string {
  return JSON.stringify([name, at ?? null]);
}

/** Where a label's table has the value of an attribute. */
export function columnCell(query: Query, attribute: AttributeOf, alias: string): Cell {
  const wanted = wantedOf(query, attribute.label);
  const at = wanted.findIndex((one) => keyOf(one) === keyOf(attribute));
  const column = (part: string): string => `${alias}.${part}${at}`;
  return { kind: column('k'), whole: column('w'), part: column('p'), text: column('t') };
}

/**
 * Selects the events of each label: those that its pattern matches and the conjuncts of FILTER
 * that speak of it alone leave. Values are in one form, so that equal ones are equal in all parts.
 */
export async function selectLabels(work: Work): Promise<readonly LabelTable[]> {
  const { db, session, query, scratch, scale } = work;
  const tables: LabelTable[] = [];
  for (const [label, pattern] of query.patterns.entries()) {
    const values = {
      cellOf: (attribute: AttributeOf) => attributeCell(attribute, 'e'),
      scale,
      nameColumn: 'e.name',
    };
    const matches = conditionSql(pattern, values);
    const filters = conditionSql({ kind: 'and', operands: query.filters[label] ?? [] }, values);
    const inSession = `from perturb_events e where session = ${literal(session)}`;
    const [[matched, filtered] = [0, 0]] = (await db.rows(
      `select toString(count()), toString(countIf(${filters})) ${inSession} and ${matches}`,
    )) as [string, string][];
    const columns = wantedOf(query, label).map((attribute, at) => {
      const { kind, whole, part, text } = attributeCell(attribute, 'e');
      return `, ${kind} as k${at}, if(k${at} = 2, ${whole}, toInt256(0)) as w${at}, if(k${at} = 2, ${part}, 0.) as p${at}, if(k${at} > 2, ${text}, '') as t${at}`;
    });
    const none = query.circular.has(label) ? ' and 0' : '';
    const name = await scratch.table(
      `select e.probe as probe, e.probe_name as probe_name, e.seq as seq, e.seg as seg${columns.join('')} ${inSession} and ${matches} and ${filters}${none}`,
    );
    const size = none === '' ? Number(filtered) : 0;
    tables.push({ name, size, matched: Number(matched), filtered: Number(filtered) });
  }
  return tables;
}

/** Keeps the rows of queries in tables. */
interface Scratch {
  /** @returns the name of the table */
  table(query: string): Promise<string>;
}

/**
 * Does work with temporary tables of its own, and drops them; where the program ends before, they
 * go with the connection. Where the work fails, that is what is reported, whatever becomes of the
 * tables: a server that has not ended a statement yet refuses the next one.
 */
export async function withScratch<T>(
  db: Database,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const made: string[] = [];
  const prefix = `perturb_scratch_${crypto.randomUUID().replaceAll('-', '')}`;
  const table = async (query: string): Promise<string> => {
    const name = `${prefix}_${made.length}`;
    // It is dropped also where the statement is cut short.
    made.push(name);
    await db.command(`create temporary table ${name} as ${query}`);
    return name;
  };
  const drop = async (): Promise<void> => {
    for (const name of made) await db.command(`drop temporary table if exists ${name}`);
  };
  const result = await work({ table }).catch(async (error: unknown) => {
    await drop().catch(() => undefined);
    throw error;
  });
  await drop();
  return result;
}
