import { quote } from '../../diagnostics/index.js';
import { compareCodePoints } from '../../source/index.js';
import type { Json } from '../../values/index.js';
import { addValue, type SessionValue } from '../builder.js';
import { type GrowingColumn, groupItems } from '../columns/column.js';
import { EventTable } from '../columns/event-table.js';
import { GrowingBigIntList, GrowingList } from '../columns/growing.js';
import type { Problem, Problems } from '../problem.js';
import { ValueKind } from '../session.js';
import { addJson, RESERVED_NAMES } from './json-access.js';
import { findEquivalentIds, significantStart } from './span-ids.js';

/** The options for converting spans to timelines. */
export interface SpanOptions {
  /**
   * `trace` orders events by cause and effect, and by clock within a trace on one instance. `time` orders an instance's
   * events by its clock.
   */
  readonly order?: (typeof SPAN_ORDERS)[number];
}

export const SPAN_ORDERS = ['trace', 'time'] as const;

/** A span of any format. */
export interface TraceSpan {
  readonly service: string;
  readonly identity: SpanIdentity;
  /** The start time in nanoseconds. */
  readonly start: bigint;
  /** The end time in nanoseconds; undefined if the span never ended. */
  readonly end: bigint | undefined;
  /** Linked spans, which precede this span without being its parent. */
  readonly links: readonly SpanKey[];
  /** The attributes of the span's two events. */
  readonly attributes: RowAttributes;
  /** The moments within the span. */
  readonly moments: readonly Moment[];
}

export interface SpanKey {
  readonly trace: string;
  readonly id: string;
}

/** A span's identity, as text indices. */
export interface SpanIdentity {
  readonly trace: number;
  readonly id: number;
  readonly name: number;
  /** The id of the parent, in the same trace; -1 for none. */
  readonly parent: number;
}

/** An event at one moment: an event of a span, or a log record. */
export interface Moment {
  readonly name: string;
  readonly time: bigint;
  readonly attributes: RowAttributes;
}

/** An attribute that rows may have. */
interface Field {
  readonly name: string;
  /** True for ids of spans and traces, which have several forms. */
  readonly isId: boolean;
  readonly hash: number;
  readonly column: GrowingColumn;
  /** True if the name is reserved for importers. */
  readonly isReserved: boolean;
}

/**
 * A row's attributes, written directly to their columns. Callers must add all attributes of a row before the next row's
 * attributes. Names follow the rules of `ImportedAttributes`.
 */
export class RowAttributes {
  readonly row: number;
  /** A digest of the attributes, independent of their order. */
  digest = 0;

  /**
   * @param origin additional attributes of the row
   * @param valuesByName collects the attributes by name, if this row is the origin of other rows
   */
  constructor(
    private readonly traces: Traces,
    readonly origin: RowAttributes | undefined,
    readonly valuesByName?: Map<string, SessionValue>,
  ) {
    this.row = traces.table.addRow(origin?.row ?? NO_TEXT);
  }

  add(name: string, value: SessionValue | undefined): this {
    if (value === undefined) return this;
    const { traces, row } = this;
    const field = this.freeField(name);
    if (field === undefined) return this;
    addValue(traces.table, field.column, row, value);
    return field.column.lastEvent === row ? this.keep(name, field, value) : this;
  }

  /** Adds a text by index; ignores -1. */
  addText(name: string, text: number): this {
    const field = text < 0 ? undefined : this.freeField(name);
    if (field === undefined) return this;
    field.column.add(this.row, ValueKind.string, text);
    return this.keep(name, field, this.traces.table.texts[text] as string);
  }

  /** Returns the field for adding an attribute; undefined if `NAME` and `attribute.NAME` are both in use. */
  private freeField(name: string): Field | undefined {
    const { traces, row } = this;
    const field = traces.getField(name);
    if (!field.isReserved && field.column.lastEvent !== row) return field;
    const otherField = traces.getField(`attribute.${name}`);
    return otherField.column.lastEvent === row ? undefined : otherField;
  }

  private keep(name: string, field: Field, value: SessionValue): this {
    const { traces, origin, valuesByName } = this;
    this.digest = (this.digest + traces.valueDigest(field)) | 0;
    valuesByName?.set(field.name, value);
    const originValue = origin?.valuesByName?.get(field.name);
    return originValue === undefined ? this : this.add(name, originValue);
  }

  addJson(name: string, json: Json | undefined): this {
    addJson(this, name, json);
    return this;
  }

  /** Returns a string attribute of the row or its origin; '' for another kind of value, undefined for no value. */
  textOf(name: string): string | undefined {
    const { traces, row, origin } = this;
    const textIndex = traces.fields.get(name)?.column.textOf(row);
    if (textIndex !== undefined) return traces.table.texts[textIndex] ?? '';
    const value = origin?.valuesByName?.get(name);
    return typeof value === 'string' || value === undefined ? value : '';
  }
}

/** The kinds of rows. */
export const RowKind = { origin: -1, span: 1, openSpan: 2, within: 3, log: 4 } as const;

export function isSpan(kind: number): boolean {
  return kind === RowKind.span || kind === RowKind.openSpan;
}

const NO_TEXT = -1;

/** An event's service, probe and instance, as text indices. */
type EventSource = readonly [service: number, probe: number, instance: number];

/**
 * The contents of trace files, in columns of numbers. Each span and each moment is a row, and a span's moments follow
 * the span. Attributes are stored once, in the table's shared columns.
 */
export class Traces {
  /** The instances of each probe, as text indices. */
  readonly instances = new Map<number, Set<number>>();
  readonly links = new Map<number, readonly SpanKey[]>();
  readonly kinds = new GrowingList();
  /** Text indices, as in the columns up to `parents`; -1 for none. */
  readonly services = new GrowingList();
  readonly names = new GrowingList();
  readonly probes = new GrowingList();
  readonly instanceIds = new GrowingList();
  readonly traces = new GrowingList();
  readonly ids = new GrowingList();
  readonly parents = new GrowingList();
  /** 1 for client and producer spans, otherwise 0. */
  readonly senders = new GrowingList();
  /** Digests of the attributes, including the origin's attributes. */
  readonly digests = new GrowingList();
  private readonly columns = [
    ...[this.kinds, this.services, this.names, this.probes, this.instanceIds],
    ...[this.traces, this.ids, this.parents, this.senders, this.digests],
  ];
  readonly starts = new GrowingBigIntList();
  readonly ends = new GrowingBigIntList();
  /** Called before a large allocation of `bytes` bytes. Throws if the memory is not available. */
  expectMemory: (bytes: number, purpose: string) => void = () => {};
  /** True if the file contains metrics, which do not become events. */
  hasMetrics = false;
  /** The attributes that may name a probe, each with its possible names, in order of priority. */
  private probeNames: readonly (readonly string[])[] = [];
  readonly fields = new Map<string, Field>();
  /** The hashes of texts, by text index. */
  private readonly textHashes = new GrowingList();

  /** The lengths of ids. If all lengths are equal, each id has only one form. */
  private readonly traceLengths = new Set<number>();
  private readonly idLengths = new Set<number>();

  /** Reports of spans without a time. A report becomes a problem if no other report of the span has a time. */
  readonly untimedReports: (SpanKey & Pick<Problem, 'file' | 'line' | 'message'>)[] = [];

  constructor(
    readonly problems: Problems,
    readonly options: SpanOptions = {},
    readonly table = new EventTable(),
  ) {}

  /**
   * Sets the attributes that may name the probes of later spans, in order of priority. The default is `service.name`.
   */
  nameProbesBy(attributes: readonly string[]): void {
    this.probeNames = attributes.map(attributeNames);
  }

  get size(): number {
    return this.kinds.length;
  }

  /** Returns new attributes for the next row. `origin` contains additional attributes. */
  attributes(origin?: RowAttributes): RowAttributes {
    return new RowAttributes(this, origin);
  }

  /** Returns new attributes for later rows to share. */
  origin(): RowAttributes {
    return new RowAttributes(this, undefined, new Map());
  }

  identity({ trace, id }: SpanKey, name: string, parent: string | undefined): SpanIdentity {
    const { table, traceLengths, idLengths } = this;
    traceLengths.add(trace.length);
    idLengths.add(id.length);
    if (parent !== undefined) idLengths.add(parent.length);
    return {
      trace: table.numberOf(trace),
      id: table.numberOf(id),
      name: table.numberOf(name),
      parent: parent === undefined ? NO_TEXT : table.numberOf(parent),
    };
  }

  /** Returns new attributes for a span's events or moments, with the span's identity. */
  spanAttributes({ trace, id, name }: SpanIdentity, origin?: RowAttributes): RowAttributes {
    const attributes = this.attributes(origin);
    return attributes.addText('trace.id', trace).addText('span.id', id).addText('span.name', name);
  }

  getField(name: string): Field {
    let field = this.fields.get(name);
    if (field === undefined) {
      const column = this.table.sharedColumn(name);
      const [isId, isReserved] = [ID_NAMES.includes(name), RESERVED_NAMES.includes(name)];
      field = { name, isId, hash: hashOf(name), column, isReserved };
      this.fields.set(name, field);
    }
    return field;
  }

  /** Returns the digest of an attribute's last value. */
  valueDigest({ hash, column, isId }: Field): number {
    const { lastKind: kind, lastNumber: number } = column;
    const isText = kind === ValueKind.string || kind === ValueKind.other;
    if (isText && isId) return mixHashes(hash ^ kind, hashOfId(this.table.texts[number] as string));
    return mixHashes(hash ^ kind, isText ? this.hashOfText(number) : hashOfNumber(number));
  }

  addSpan(span: TraceSpan): void {
    const { service, identity, start, end, links, moments, attributes } = span;
    const hasValidTimes =
      isTime(start) && isTime(end ?? start) && moments.every(({ time }) => isTime(time));
    if (!hasValidTimes) {
      const message = `a span from ${quote(service)} has a time that does not fit in 64 bits`;
      this.problems.add('record', { message });
      return;
    }
    const kind = attributes.textOf('span.kind');
    const isSender = kind === 'client' || kind === 'producer';
    const spanKind = end === undefined ? RowKind.openSpan : RowKind.span;
    const source = this.sourceOf(span);
    this.addRow(spanKind, attributes, source, identity, start, end ?? start, isSender);
    if (links.length > 0) this.links.set(attributes.row, links);
    for (const moment of moments) {
      const { time } = moment;
      const name = this.table.numberOf(moment.name);
      const momentIdentity = { trace: identity.trace, id: NO_TEXT, name, parent: NO_TEXT };
      this.addRow(RowKind.within, moment.attributes, source, momentIdentity, time, time);
    }
  }

  /** Adds a log record, or an event without a span. */
  addLog(moment: Moment & { readonly service: string }): void {
    const { service, name, time } = moment;
    if (!isTime(time)) {
      const message = `a log record from ${quote(service)} has a time that does not fit in 64 bits`;
      this.problems.add('record', { message });
      return;
    }
    const textNumber = (text: string | undefined) =>
      text === undefined ? NO_TEXT : this.table.numberOf(text);
    const [trace, id] = [textOf(moment, TRACE_ID), textOf(moment, SPAN_ID)];
    if (trace !== undefined) this.traceLengths.add(trace.length);
    if (id !== undefined) this.idLengths.add(id.length);
    const identity = {
      trace: textNumber(trace),
      id: textNumber(id),
      name: textNumber(name),
      parent: NO_TEXT,
    };
    this.addRow(RowKind.log, moment.attributes, this.sourceOf(moment), identity, time, time);
  }

  /**
   * Unifies equivalent ids after reading. Reports a span without a time as a problem, unless another report of the span
   * has a time.
   */
  settle(): void {
    const { links, untimedReports, traceLengths, idLengths } = this;
    for (const { trace, id } of [...links.values()].flat().concat(untimedReports)) {
      traceLengths.add(trace.length);
      idLengths.add(id.length);
    }
    const replaceTrace = this.settleIds(
      traceLengths,
      [this.traces],
      TRACE_IDS,
      ({ trace }) => trace,
    );
    const replaceId = this.settleIds(idLengths, [this.ids, this.parents], SPAN_IDS, ({ id }) => id);
    for (const [row, keys] of links) {
      const settledKeys = keys.map(({ trace, id }) => ({
        trace: replaceTrace(trace),
        id: replaceId(id),
      }));
      links.set(row, settledKeys);
    }
    if (untimedReports.length === 0) return;
    const { table } = this;
    const keyOf = (trace: number, id: number) => `${trace} ${id}`;
    const names = new Set<string>();
    for (let row = 0; row < this.size; row++) {
      if (isSpan(this.kinds.at(row))) names.add(keyOf(this.traces.at(row), this.ids.at(row)));
    }
    for (const { trace, id, ...problem } of untimedReports) {
      const key = keyOf(table.numberOf(replaceTrace(trace)), table.numberOf(replaceId(id)));
      if (names.has(key)) this.problems.merged++;
      else this.problems.add('record', problem);
    }
  }

  /**
   * Replaces each id that has several forms with its longest form.
   *
   * @param lengths the lengths of the ids
   * @param columns the ids, as text indices by row
   * @param names the attributes that contain the ids
   * @param idOfKey returns the id in a span's key
   * @returns a function that replaces an id
   */
  private settleIds(
    lengths: ReadonlySet<number>,
    columns: readonly GrowingList[],
    names: readonly string[],
    idOfKey: (key: SpanKey) => string,
  ): (id: string) => string {
    if (lengths.size < 2) return (id) => id;
    const { table, links, untimedReports } = this;
    const ids = new Set([...links.values()].flat().concat(untimedReports).map(idOfKey));
    for (const column of columns) {
      for (const number of new Set(column.toArray())) {
        if (number >= 0) ids.add(table.texts[number] as string);
      }
    }
    const equivalents = findEquivalentIds(ids, names === TRACE_IDS);
    const forms = new Map<number, number>();
    for (const [id, form] of equivalents) forms.set(table.numberOf(id), table.numberOf(form));
    for (const column of columns) {
      for (let row = 0; row < this.size; row++) {
        const form = forms.get(column.at(row));
        if (form !== undefined) column.set(row, form);
      }
    }
    for (const name of names) this.fields.get(name)?.column.replaceTexts(forms);
    return (id) => equivalents.get(id) ?? id;
  }

  private addRow(
    kind: number,
    { row, origin, digest }: RowAttributes,
    [service, probe, instance]: EventSource,
    { trace, id, name, parent }: SpanIdentity,
    start: bigint,
    end: bigint,
    isSender = false,
  ): void {
    // Fill the rows of origins, and of rejected spans and logs.
    while (this.size < row) this.push(Array(this.columns.length).fill(NO_TEXT), 0n, 0n);
    const sender = isSender ? 1 : 0;
    const fullDigest = digest + (origin?.digest ?? 0);
    this.push(
      [kind, service, name, probe, instance, trace, id, parent, sender, fullDigest],
      start,
      end,
    );
  }

  /** Adds a row. @param numbers the row's numbers, in the order of `columns` */
  private push(numbers: readonly number[], start: bigint, end: bigint): void {
    this.columns.forEach((column, at) => {
      column.push(numbers[at] as number);
    });
    this.starts.push(start);
    this.ends.push(end);
  }

  /** Returns a text's cached hash, given the text's index. */
  private hashOfText(number: number): number {
    const { textHashes, table } = this;
    while (textHashes.length <= number) {
      textHashes.push(hashOf(table.texts[textHashes.length] as string));
    }
    return textHashes.at(number);
  }

  /** Returns an event's source, and records the instance. */
  private sourceOf(record: Pick<TraceSpan, 'service' | 'attributes'>): EventSource {
    const { table, instances } = this;
    let probeName: string | undefined;
    for (const names of this.probeNames) probeName ??= textOf(record, names);
    const probe = table.numberOf(probeName ?? record.service);
    const instance = table.numberOf(textOf(record, INSTANCE) ?? '');
    instances.set(probe, (instances.get(probe) ?? new Set()).add(instance));
    return [table.numberOf(record.service), probe, instance];
  }

  /** Yields the rows of each trace, in order of trace names. Rows without a trace form one group. */
  *rowsByTrace(): Generator<Int32Array> {
    const { traces, kinds, table } = this;
    const textOf = (trace: number) => table.texts[trace] ?? '';
    const names = [...new Set(traces.toArray())].sort((a, b) =>
      compareCodePoints(textOf(a), textOf(b)),
    );
    // One more entry, for rows without a trace (-1).
    const ranks = new Int32Array(table.texts.length + 1);
    for (const [rank, name] of names.entries()) ranks[name + 1] = rank;
    const rankOf = new Int32Array(this.size);
    for (let row = 0; row < this.size; row++) {
      rankOf[row] = kinds.at(row) === RowKind.origin ? -1 : (ranks[traces.at(row) + 1] as number);
    }
    const { start, members } = groupItems(rankOf, names.length);
    for (let rank = 0; rank < names.length; rank++) {
      const rows = members.subarray(start[rank], start[rank + 1]);
      if (rows.length > 0) yield rows;
    }
  }
}

/** Lists the possible names of an attribute from a span, a resource or a process. */
function attributeNames(name: string): readonly string[] {
  return ['', 'resource.', 'process.'].map((prefix) => prefix + name);
}

const INSTANCE = attributeNames('service.instance.id');
const [TRACE_ID, SPAN_ID] = [attributeNames('trace.id'), attributeNames('span.id')];
const [TRACE_IDS, SPAN_IDS] = [['trace.id'], ['span.id', 'span.parent.id']];
const ID_NAMES = [...TRACE_IDS, ...SPAN_IDS];

/** Returns the value of the first attribute present; undefined if the value is empty, or not a string. */
function textOf(
  { attributes }: Pick<TraceSpan, 'attributes'>,
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const text = attributes.textOf(name);
    if (text !== undefined) return text || undefined;
  }
  return undefined;
}

function isTime(time: bigint): boolean {
  return BigInt.asIntN(64, time) === time;
}

/** Hashes an id. All forms of an id have the same hash. */
function hashOfId(id: string): number {
  return hashOf(id, significantStart(id));
}

/** Hashes a text's UTF-16 units with FNV-1a. */
function hashOf(text: string, from = 0): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}

const DOUBLE = new Float64Array(1);
const WORDS = new Int32Array(DOUBLE.buffer);

function hashOfNumber(number: number): number {
  DOUBLE[0] = number;
  return mixHashes(WORDS[0] as number, WORDS[1] as number);
}

/** Mixes two hashes. A sum of results depends on all bits of both hashes. */
function mixHashes(hash: number, secondHash: number): number {
  const mix = Math.imul(hash ^ Math.imul(secondHash, 0x01000193), 0x85ebca6b);
  return Math.imul(mix ^ (mix >>> 15), 0x2c1b3c6d);
}
