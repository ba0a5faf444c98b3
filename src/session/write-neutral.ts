import { at } from '../source/index.js';
import { type AttributeValue, defined, parseFormatted, parseUuid } from '../values/index.js';
import { forEachValue, integerAt } from './columns/column.js';
import type { EventReference, EventTable } from './columns/event-table.js';
import { ownersOf } from './order.js';
import { type EventRecord, type NeutralRecord, writeRecord } from './read-neutral.js';
import { RESERVED, type Session, TIMELINE, ValueKind } from './session.js';
import { hasInteractions } from './ties.js';

/** The approximate number of characters in a piece of output. */
const PIECE = 1 << 16;
/** The number of events to convert at a time. */
const BATCH = 4096;

/**
 * Writes a session in the neutral form, JSON Lines. Yields the text in pieces. Reading the text results in the same
 * session. Interactions refer to events by `seq`, or by zero-based position on a timeline without `seq`.
 */
export function* writeNeutral(session: Session): Generator<string, void, undefined> {
  let text = '';
  for (const record of recordsOf(session)) {
    text += `${writeRecord(record)}\n`;
    if (text.length >= PIECE) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

/** Yields a session's records in the neutral form: the header if necessary, events, then interactions. */
export function* recordsOf(session: Session): Generator<NeutralRecord> {
  const { name, source } = session;
  const { order, skew, isCausal } = session.reading ?? {};
  const interactions = isCausal && !hasInteractions(session) ? (true as const) : undefined;
  const recordedEvents = recordedOrder(session);
  const header = defined({
    name,
    source,
    order,
    skew,
    interactions,
    recorders: recordedEvents?.ranges,
  });
  if (Object.keys(header).length > 0) yield { kind: 'header', ...header };
  if (recordedEvents === undefined) yield* eventRecordsOf(session);
  else yield* recordsInOrder(session, recordedEvents.events);
  yield* interactionsOf(session);
}

/**
 * Returns the events in reading order, and each recorder's ranges. Returns undefined if no recorder wrote more than one
 * timeline, because the timelines' order then suffices.
 */
function recordedOrder({ size, timelines, reading }: Session) {
  const { recorders, readingPositions: recordedPositions } = reading ?? {};
  if (recorders === undefined || recordedPositions === undefined) return undefined;
  const lineOf = new Map<number, number>();
  let differs = false;
  for (let line = 0; line < timelines.probe.length; line++) {
    for (let event = at(timelines.start, line); event < at(timelines.start, line + 1); event++) {
      const recorder = at(recorders, event);
      if (recorder < 0) continue;
      if ((lineOf.get(recorder) ?? line) !== line) differs = true;
      lineOf.set(recorder, line);
    }
  }
  if (!differs) return undefined;
  const events = Int32Array.from({ length: size }, (_, event) => event).sort(
    (a, b) => at(recordedPositions, a) - at(recordedPositions, b),
  );
  const ranges: [first: number, end: number][] = [];
  let previous = -1;
  for (const [position, event] of events.entries()) {
    const recorder = at(recorders, event);
    const range = ranges.at(-1);
    if (recorder >= 0 && recorder === previous && range !== undefined) range[1] = position + 1;
    else if (recorder >= 0) ranges.push([position, position + 1]);
    previous = recorder;
  }
  return { events, ranges };
}

/** Yields a record for each event in the given order, which must agree with each timeline's order. */
function* recordsInOrder(session: Session, events: Int32Array): Generator<EventRecord> {
  const { start, probe } = session.timelines;
  const lineOf = ownersOf(start);
  const timelines = Array.from(probe, (_, line) =>
    eventRecordsOf(session, at(start, line), at(start, line + 1)),
  );
  for (const event of events) {
    const { value } = timelines[at(lineOf, event)]?.next() ?? {};
    if (value) yield value;
  }
}

/** Yields the records of events `from` up to but not including `to`, with attributes sorted by name. */
export function* eventRecordsOf(
  session: Session,
  from = 0,
  to = session.size,
): Generator<EventRecord, void, undefined> {
  const { probes, timelines, columns, texts } = session;
  const isNamed = timelines.name.some((name) => name >= 0);
  const attributes = [...columns]
    .filter(([key]) => !RESERVED.includes(key) && !(key === TIMELINE && isNamed))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  let line = 0;
  for (let batchStart = from; batchStart < to; batchStart += BATCH) {
    const end = Math.min(batchStart + BATCH, to);
    const values = Array.from(
      { length: end - batchStart },
      () => new Map<string, AttributeValue>(),
    );
    for (const [key, column] of attributes) {
      forEachValue(column, batchStart, end, (event, kind, number, exact) => {
        values[event - batchStart]?.set(key, toAttributeValue(texts, kind, number, exact));
      });
    }
    for (let event = batchStart; event < end; event++) {
      while (event >= at(timelines.start, line + 1)) line++;
      const [seq, time] = [integerOf(session, 'seq', event), integerOf(session, 'time', event)];
      const timeline = texts[at(timelines.name, line)];
      yield {
        kind: 'event',
        probe: probes[at(timelines.probe, line)] as string,
        ...(timeline !== undefined && { timeline }),
        name: texts[columns.get('name')?.numbers[event] ?? -1] ?? '',
        ...(seq !== undefined && { seq }),
        ...(time !== undefined && { time }),
        attributes: values[event - batchStart] as ReadonlyMap<string, AttributeValue>,
      };
    }
  }
}

/** Returns the records of a table's events, in order of arrival. The table must have no shared values. */
export function recordsOfTable(table: EventTable): EventRecord[] {
  const { texts, size } = table;
  const values = Array.from({ length: size }, () => new Map<string, AttributeValue>());
  const [seq, time] = [new Map<number, bigint>(), new Map<number, bigint>()];
  for (const [key, column] of table.columns) {
    forEachValue(column.lay(size), 0, size, (event, kind, number, exact) => {
      const integers = key === 'seq' ? seq : key === 'time' ? time : undefined;
      if (integers !== undefined) integers.set(event, exact ?? BigInt(number));
      else if (key !== 'name')
        values[event]?.set(key, toAttributeValue(texts, kind, number, exact));
    });
  }
  return values.map((attributes, event) => ({
    kind: 'event',
    probe: texts[table.probes.at(event)] as string,
    name: texts[table.name.textOf(event) ?? -1] ?? '',
    ...defined({
      timeline: texts[table.timelines.at(event)],
      seq: seq.get(event),
      time: time.get(event),
    }),
    attributes,
  }));
}

function* interactionsOf(session: Session): Generator<NeutralRecord> {
  const { probes, timelines, order, texts } = session;
  const reference = (line: number, event: number): EventReference => {
    const seqOrOffset =
      integerOf(session, 'seq', event) ?? BigInt(event - at(timelines.start, line));
    const probe = probes[at(timelines.probe, line)] as string;
    const name = texts[at(timelines.name, line)];
    return name === undefined ? [probe, seqOrOffset] : [probe, name, seqOrOffset];
  };
  for (let receive = 0; receive < order.receives.length; receive++) {
    const to = reference(at(order.receiveTimeline, receive), at(order.receives, receive));
    const end = at(order.edgeStart, receive + 1);
    for (let edge = at(order.edgeStart, receive); edge < end; edge++) {
      const from = reference(at(order.edgeTimeline, edge), at(order.edgeFrom, edge));
      yield { kind: 'interaction', from, to };
    }
  }
}

function integerOf({ columns }: Session, name: string, event: number): bigint | undefined {
  const column = columns.get(name);
  return column?.kinds[event] === ValueKind.integer ? integerAt(column, event) : undefined;
}

/** Converts a column's entry to an attribute value. `texts` are the session's texts. */
function toAttributeValue(
  texts: readonly string[],
  kind: number,
  number: number,
  exact: bigint | undefined,
): AttributeValue {
  switch (kind) {
    case ValueKind.integer: {
      const value = exact ?? BigInt(number);
      return { type: BigInt.asIntN(64, value) === value ? 'integer' : 'bigInteger', value };
    }
    case ValueKind.float:
      return { type: 'float', value: number };
    case ValueKind.boolean:
      return { type: 'boolean', value: number === 1 };
    case ValueKind.string:
      return { type: 'string', value: texts[number] as string };
    default:
      return otherValue(texts[number] as string);
  }
}

/** Parses a timeline id, logical time or event coordinate formatted by `format`. */
function otherValue(text: string): AttributeValue {
  const timelineId = parseUuid(text);
  if (timelineId !== undefined) return { type: 'timelineId', value: timelineId };
  return (parseFormatted(text, 'logicalTime') ??
    parseFormatted(text, 'eventCoordinate')) as AttributeValue;
}
