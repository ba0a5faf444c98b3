import { shownSeq } from '../answer/listing.js';
import type { Binding, Evidence } from '../answer/result.js';
import { bindingsSql } from './bindings-sql.js';
import { literal } from './database.js';
import type { LabelTable, Work } from './label-tables.js';

/** The first event that has the extreme of an aggregate: its probe's number, and its place there from 1. */
export interface Extreme {
  readonly why: 'max' | 'min';
  readonly of: string;
  readonly label: number;
  readonly event: readonly [number, number];
}

/** Bindings that show the result: one for each extreme; without extremes the first ones. */
export async function evidenceOf(
  work: Work,
  tables: readonly LabelTable[],
  extremes: readonly Extreme[],
  limit: number,
): Promise<readonly Evidence[]> {
  if (extremes.length === 0) {
    const first = await firstBindings(work, tables, limit);
    return first.map((binding) => ({ why: 'first', binding }));
  }
  if (hasNone(work, tables)) return [];
  const found: Evidence[] = [];
  for (const { why, of, label, event } of extremes) {
    const only = `l${label}.probe = ${event[0]} and l${label}.seq = ${event[1]}`;
    for (const binding of await bindingsOf(work, tables, only, 1)) found.push({ why, of, binding });
  }
  return found;
}

/**
 * So many bindings, those that the server finds first.
 *
 * @param tables as `joinable` gives them
 */
export async function firstBindings(
  work: Work,
  tables: readonly LabelTable[],
  limit: number,
): Promise<readonly Binding[]> {
  return hasNone(work, tables) ? [] : bindingsOf(work, tables, '1', limit);
}

function hasNone({ query }: Work, tables: readonly LabelTable[]): boolean {
  return query.neverHolds || query.circular.size > 0 || tables.some(({ size }) => size === 0);
}

async function bindingsOf(
  work: Work,
  tables: readonly LabelTable[],
  condition: string,
  limit: number,
): Promise<readonly Binding[]> {
  const { db, query } = work;
  const places = tables.map((_, label) => `l${label}.probe, l${label}.seq`).join(', ');
  const rows = await db.rows(
    `select ${places} ${bindingsSql(work, tables)} and ${condition} limit ${limit}`,
  );
  const events = rows.flatMap((row) => query.labels.map((_, at) => pairAt(row, at)));
  const named = await namesOf(work, events);
  return rows.map((row) =>
    Object.fromEntries(
      query.labels.map((label, at) => [
        label,
        named.get(pairAt(row, at).join()) as Binding[string],
      ]),
    ),
  );
}

function pairAt(row: readonly unknown[], label: number): readonly [number, number] {
  return [Number(row[2 * label]), Number(row[2 * label + 1])];
}

/** Where a person finds events: by `seq` where they have one, else by their place, from 0. */
async function namesOf(
  { db, session }: Work,
  events: readonly (readonly [number, number])[],
): Promise<ReadonlyMap<string, Binding[string]>> {
  if (events.length === 0) return new Map();
  const list = events.map(([probe, seq]) => `(${probe}, ${seq})`).join(', ');
  const rows = await db.rows(
    `select probe, seq, probe_name, if(mapContains(integers, 'seq'), toString(integers['seq']), '') from perturb_events where session = ${literal(session)} and (probe, seq) in (${list})`,
  );
  return new Map(
    rows.map(([probe, seq, name, given]) => {
      const exact = given === '' ? BigInt(Number(seq) - 1) : BigInt(String(given));
      return [`${probe},${seq}`, { probe: String(name), seq: shownSeq(exact) }];
    }),
  );
}
