import { at, itemAt, lastAtMost } from '../../source/index.js';
import { defined } from '../../values/index.js';
import { buildOrder } from '../order.js';
import { onLine, type Problems, quoted } from '../problem.js';
import { type Column, type Session, ValueKind } from '../session.js';
import { type Arrangement, arrangeEvents } from './arrange.js';
import type { EventTable, Reference } from './event-table.js';

export interface AssembleOptions {
  readonly name?: string | undefined;
  readonly source?: string | undefined;
  /** Interactions from this one on are optional: left out without a problem where they close a cycle. */
  readonly optionalFrom?: number;
  /** Whether the table is not needed any more, so that its columns can go one by one. */
  readonly release?: boolean;
}

/**
 * Makes a session of a table. What is wrong is added to `problems` and left out: events whose
 * place is unknown, interactions of events that do not exist, and interactions that close a
 * cycle.
 */
export function assemble(
  table: EventTable,
  problems: Problems,
  { name, source, optionalFrom = table.interactions.length, release = false }: AssembleOptions = {},
): Session {
  const arrangement = arrangeEvents(table, problems);
  const { probes, start, place } = arrangement;
  const size = at(start, probes.length);
  const { from, to, interactions } = resolve(table, arrangement, problems);
  const required = interactions.filter((index) => index < optionalFrom).length;
  const { order, dropped, cycle } = buildOrder(start, from, to, required);
  const contrary = dropped.filter((index) => index < required);
  const ring = cycle?.every((index) => index < required) ? cycle : [];
  const lineOf = (index: number) => table.interactions[interactions[index] as number]?.line ?? 0;
  for (const index of contrary) {
    const line = lineOf(index);
    const others = ring.includes(index) ? ring.filter((other) => other !== index).map(lineOf) : [];
    problems.add('interaction', { ...onLine(line), message: cycleMessage(others) });
  }
  const columns = new Map<string, Column>();
  columns.set('probe', probeColumn(arrangement, size));
  for (const [key, growing] of table.columns) {
    const column = growing.build(size, place);
    if (column !== undefined) columns.set(key, column);
    if (release) table.columns.delete(key);
  }
  return {
    ...defined({ name, source }),
    probes,
    start,
    size,
    columns,
    texts: table.texts,
    order,
  };
}

function cycleMessage(others: readonly number[]): string {
  const lines = others.filter((line) => line > 0).slice(0, 5);
  const around =
    lines.length === 0
      ? ''
      : ` with ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${others.length > lines.length ? ' and more' : ''}`;
  return `the interaction closes a cycle${around}: an event would come before itself`;
}

function probeColumn({ start, names }: Arrangement, size: number): Column {
  const numbers = new Float64Array(size);
  for (const [probe, text] of names.entries()) {
    numbers.fill(text, start[probe], start[probe + 1]);
  }
  return { kinds: new Uint8Array(size).fill(ValueKind.string), numbers };
}

interface Resolved {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The number of each in the table. */
  readonly interactions: readonly number[];
}

function resolve(
  { interactions: all, eventById }: EventTable,
  arrangement: Arrangement,
  problems: Problems,
): Resolved {
  const [from, to, interactions]: [number[], number[], number[]] = [[], [], []];
  const find = finder(arrangement, eventById);
  for (const [index, interaction] of all.entries()) {
    const [sender, receiver] = [find(interaction.from), find(interaction.to)];
    if (sender < 0 || receiver < 0) {
      const which = sender < 0 ? 'sender' : 'receiver';
      const reference = sender < 0 ? interaction.from : interaction.to;
      const message = `the ${which}${inWords(reference)} of an interaction does not exist`;
      problems.add('interaction', { ...onLine(interaction.line), message });
      continue;
    }
    from.push(sender);
    to.push(receiver);
    interactions.push(index);
  }
  return { from: Int32Array.from(from), to: Int32Array.from(to), interactions };
}

function inWords(reference: Reference): string {
  if (typeof reference === 'number') return '';
  if (typeof reference === 'string') return ` ${quoted(reference)}`;
  return ` [${quoted(reference[0])}, ${reference[1]}]`;
}

/** Finds the number of an event in the session, or -1. */
function finder(
  { probes, place, start, hasSeq, seq }: Arrangement,
  eventById: ReadonlyMap<string, number>,
): (reference: Reference) => number {
  const probeByName = new Map(probes.map((name, probe) => [name, probe]));
  return (reference) => {
    if (typeof reference === 'number') return place[reference] ?? -1;
    if (typeof reference === 'string') return place[eventById.get(reference) ?? -1] ?? -1;
    const [name, wanted] = reference;
    const probe = probeByName.get(name);
    if (probe === undefined) return -1;
    const [first, end] = [at(start, probe), at(start, probe + 1)];
    if (!hasSeq[probe]) {
      return wanted >= 0n && wanted < BigInt(end - first) ? first + Number(wanted) : -1;
    }
    const found = lastAtMost(wanted, end - first, (index) => itemAt(seq, first + index));
    return found >= 0 && itemAt(seq, first + found) === wanted ? first + found : -1;
  };
}
