import { compareCodePoints } from '../../source/index.js';
import { defined } from '../../values/index.js';
import { addValue, type SessionValue } from '../builder.js';
import { Growing } from '../columns/column.js';
import { EventTable } from '../columns/event-table.js';
import { type Problems, quoted } from '../problem.js';
import { ImportedAttributes } from './json-access.js';
import { attributeText, type Instances, type SpanOptions } from './span-timelines.js';

/** A span, whatever format it comes in. */
export interface TraceSpan {
  readonly service: string;
  readonly trace: string;
  readonly id: string;
  readonly name: string;
  /** Nanoseconds. */
  readonly start: bigint;
  /** Undefined where the span was never ended. */
  readonly end: bigint | undefined;
  /** The id of its parent, in the same trace. */
  readonly parent: string | undefined;
  /** Spans that this one follows without being a part of them. */
  readonly links: readonly SpanKey[];
  /** Of both its events. */
  readonly attributes: ImportedAttributes;
  /** Further ones, the same object for all that comes from one place. */
  readonly origin?: ImportedAttributes;
  /** What happened within it. */
  readonly moments: readonly Moment[];
}

export interface SpanKey {
  readonly trace: string;
  readonly id: string;
}

/** Something that happened at one moment: an event of a span, a log record. */
export interface Moment {
  readonly service: string;
  readonly name: string;
  readonly time: bigint;
  readonly attributes: ImportedAttributes;
  readonly origin?: ImportedAttributes;
}

/** What the events of a span, and those within it, say of it. */
export function spanAttributes({ trace, id }: SpanKey, name: string): ImportedAttributes {
  return new ImportedAttributes().add('trace.id', trace).add('span.id', id).add('span.name', name);
}

/** What a row is. */
export const RowKind = { origin: 0, span: 1, openSpan: 2, within: 3, log: 4 } as const;

const NONE = -1;

/**
 * What files of traces hold: a row for each span and each moment, in columns of numbers, those
 * within a span behind it. What they say of themselves is in the shared columns of the table, once.
 */
export class Traces {
  readonly table: EventTable;
  readonly problems: Problems;
  readonly options: SpanOptions;
  readonly instances: Instances = new Map();
  readonly links = new Map<number, readonly SpanKey[]>();
  readonly kinds = new Growing(Uint8Array);
  /** Numbers of texts; -1 for none. */
  readonly services = new Growing(Int32Array);
  readonly names = new Growing(Int32Array);
  readonly probes = new Growing(Int32Array);
  readonly instanceIds = new Growing(Int32Array);
  readonly traces = new Growing(Int32Array);
  readonly ids = new Growing(Int32Array);
  readonly parents = new Growing(Int32Array);
  readonly spanKinds = new Growing(Int32Array);
  /** The row of what is said of its origin; -1 for none. */
  readonly origins = new Growing(Int32Array);
  /** Tells attributes apart; the same in any order of them. */
  readonly digests = new Growing(Int32Array);
  readonly starts = new Growing(BigInt64Array);
  readonly ends = new Growing(BigInt64Array);
  /** Called before so many bytes of memory are taken at once; throws where they are not there. */
  expectMemory: (bytes: number, what: string) => void = () => {};
  private lastOrigin: { readonly attributes: ImportedAttributes; readonly row: number } | undefined;

  /** Reports of a span that do not say when it was, and what is wrong if no other report does. */
  readonly untimed: (SpanKey & { readonly file: string | undefined; readonly message: string })[] =
    [];

  constructor(problems: Problems, options: SpanOptions = {}, table = new EventTable()) {
    this.problems = problems;
    this.options = options;
    this.table = table;
  }

  /** The number of rows. */
  get size(): number {
    return this.kinds.length;
  }

  addSpan(span: TraceSpan): void {
    const { service, trace, id, start, end, parent, links, moments } = span;
    const times = [start, end ?? start, ...moments.map(({ time }) => time)];
    if (times.some((time) => BigInt.asIntN(64, time) !== time)) {
      const message = `a span of ${quoted(service)} has a time of more than 64 bits`;
      this.problems.add('record', { message });
      return;
    }
    const row = this.addRow(end === undefined ? RowKind.openSpan : RowKind.span, span, {
      ...{ trace, id, parent, start, end: end ?? start },
    });
    if (links.length > 0) this.links.set(row, links);
    for (const moment of moments) {
      this.addRow(RowKind.within, moment, { trace, start: moment.time, end: moment.time });
    }
  }

  /** Adds a log record, or an event of no span. */
  addLog(moment: Moment): void {
    const { service, time } = moment;
    if (BigInt.asIntN(64, time) !== time) {
      const message = `a log record of ${quoted(service)} has a time of more than 64 bits`;
      this.problems.add('record', { message });
      return;
    }
    const [trace, id] = [attributeText(moment, 'trace.id'), attributeText(moment, 'span.id')];
    this.addRow(RowKind.log, moment, { trace, id, start: time, end: time });
  }

  /** Merges the reports without a time with others of their spans; those of no other are problems. */
  settleUntimed(): void {
    if (this.untimed.length === 0) return;
    const keyOf = (trace: number, id: number) => `${trace} ${id}`;
    const isSpan = (kind: number) => kind === RowKind.span || kind === RowKind.openSpan;
    const known = new Set<string>();
    for (let row = 0; row < this.size; row++) {
      if (isSpan(this.kinds.at(row))) known.add(keyOf(this.traces.at(row), this.ids.at(row)));
    }
    for (const { trace, id, file, message } of this.untimed) {
      const key = keyOf(this.table.numberOf(trace), this.table.numberOf(id));
      if (known.has(key)) this.problems.merged++;
      else this.problems.add('record', { ...defined({ file }), message });
    }
  }

  private addRow(
    kind: number,
    what: Moment | TraceSpan,
    key: {
      readonly trace: string | undefined;
      readonly id?: string | undefined;
      readonly parent?: string | undefined;
      readonly start: bigint;
      readonly end: bigint;
    },
  ): number {
    const { table } = this;
    const numberOf = (text: string | undefined) =>
      text === undefined ? NONE : table.numberOf(text);
    const { attributes, origin } = apart(what);
    const originRow = origin === undefined ? NONE : this.addOrigin(origin);
    const { probe, instance } = this.placeOf(what, kind);
    const spanKind = attributes.get('span.kind');
    this.kinds.push(kind);
    this.services.push(table.numberOf(what.service));
    this.names.push(table.numberOf(what.name));
    this.probes.push(numberOf(probe));
    this.instanceIds.push(numberOf(instance));
    this.traces.push(numberOf(key.trace));
    this.ids.push(numberOf(key.id));
    this.parents.push(numberOf(key.parent));
    this.spanKinds.push(typeof spanKind === 'string' ? table.numberOf(spanKind) : NONE);
    this.origins.push(originRow);
    this.digests.push(digestOf(attributes) + (origin === undefined ? 0 : digestOf(origin)));
    this.starts.push(key.start);
    this.ends.push(key.end);
    return this.addValues(attributes);
  }

  private addOrigin(attributes: ImportedAttributes): number {
    if (this.lastOrigin?.attributes !== attributes) {
      this.kinds.push(RowKind.origin);
      for (const column of this.numbers()) column.push(NONE);
      this.starts.push(0n);
      this.ends.push(0n);
      this.lastOrigin = { attributes, row: this.addValues(attributes) };
    }
    return this.lastOrigin.row;
  }

  private numbers(): readonly Growing<Int32Array>[] {
    const { services, names, probes, instanceIds, traces, ids, parents, spanKinds } = this;
    const own = [services, names, probes, instanceIds, traces, ids, parents, spanKinds];
    return [...own, this.origins, this.digests];
  }

  private addValues(attributes: ImportedAttributes): number {
    const { table } = this;
    const row = table.rows++;
    for (const [name, value] of attributes) addValue(table, table.sharedColumn(name), row, value);
    return row;
  }

  /** Where it happened; what is within a span happened where that did. */
  private placeOf(what: Moment | TraceSpan, kind: number) {
    if (kind === RowKind.within) return {};
    const names = this.options.probe ?? [];
    const named = names.map((name) => attributeText(what, name));
    const probe = named.find((text) => text !== undefined) ?? what.service;
    const instance = attributeText(what, 'service.instance.id') ?? '';
    const known = this.instances.get(probe);
    if (known === undefined) this.instances.set(probe, new Set([instance]));
    else known.add(instance);
    return { probe, instance };
  }

  /** The rows of each trace, of which those without a trace are one, by the names of the traces. */
  *byTrace(): Generator<Int32Array> {
    const { traces, kinds, table } = this;
    const textOf = (trace: number) => table.texts[trace] ?? '';
    const names = [...new Set(traces.view())].sort((a, b) =>
      compareCodePoints(textOf(a), textOf(b)),
    );
    const ranks = new Map(names.map((name, rank) => [name, rank]));
    const next = new Int32Array(names.length + 1);
    const rankOf = (row: number) => ranks.get(traces.at(row)) as number;
    for (let row = 0; row < this.size; row++) {
      const rank = rankOf(row) + 1;
      next[rank] = (next[rank] as number) + 1;
    }
    for (let rank = 0; rank < names.length; rank++) {
      next[rank + 1] = (next[rank + 1] as number) + (next[rank] as number);
    }
    const start = next.slice();
    const rows = new Int32Array(this.size);
    for (let row = 0; row < this.size; row++) {
      const rank = rankOf(row);
      const place = next[rank] as number;
      rows[place] = row;
      next[rank] = place + 1;
    }
    for (let rank = 0; rank < names.length; rank++) {
      const own = rows.subarray(start[rank], start[rank + 1]);
      yield own.filter((row) => kinds.at(row) !== RowKind.origin);
    }
  }
}

/** Attributes apart from those of the origin; together, where a name is in both. */
function apart({ attributes, origin }: Moment | TraceSpan) {
  const [smaller, larger] = [origin ?? new Map<string, SessionValue>(), attributes];
  if (origin === undefined || ![...smaller.keys()].some((name) => larger.has(name))) {
    return { attributes, origin };
  }
  const all = new ImportedAttributes(attributes);
  for (const [name, value] of origin) all.add(name, value);
  return { attributes: all, origin: undefined };
}

function digestOf(attributes: ReadonlyMap<string, SessionValue>): number {
  let sum = 0;
  for (const [name, value] of attributes) {
    const text = typeof value === 'object' ? `${value.type} ${String(value.value)}` : String(value);
    sum = (sum + hashOf(text, hashOf(typeof value, hashOf(name, 0x811c9dc5)))) | 0;
  }
  return sum;
}

/** FNV-1a, of UTF-16 units. */
function hashOf(text: string, before: number): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  // A sum of hashes shall depend on all of each.
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}
