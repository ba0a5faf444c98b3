import { at } from '../source/index.js';
import { type AttributeValue, defined, parseFormatted, parseUuid } from '../values/index.js';
import { forEachValue, integerAt } from './columns/column.js';
import type { EventReference } from './columns/event-table.js';
import { type EventRecord, type NeutralRecord, writeRecord } from './read-neutral.js';
import { RESERVED, type Session, TIMELINE, ValueKind } from './session.js';

/** About how many characters each piece of text has. */
const PIECE = 1 << 16;
/** How many events' values are assembled at a time. */
const BATCH = 4096;

/**
 * The session in its neutral form, JSON Lines, in pieces. Reading it gives the same session.
 * Interactions name events by `seq`, or by their place from 0 on a timeline without `seq`.
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

function* recordsOf(session: Session): Generator<NeutralRecord> {
  const { name, source } = session;
  const { order, skew } = session.reading ?? {};
  const header = defined({ name, source, order, skew });
  if (Object.keys(header).length > 0) yield { kind: 'header', ...header };
  yield* eventRecordsOf(session);
  yield* interactionsOf(session);
}

/** A record for each event, in numerical order, with its attributes sorted by name. */
export function* eventRecordsOf(session: Session): Generator<EventRecord, void, undefined> {
  const { probes, timelines, size, columns, texts } = session;
  const isNamed = timelines.name.some((name) => name >= 0);
  const attributes = [...columns]
    .filter(([key]) => !RESERVED.includes(key) && !(key === TIMELINE && isNamed))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  let line = 0;
  for (let first = 0; first < size; first += BATCH) {
    const end = Math.min(first + BATCH, size);
    const values = Array.from({ length: end - first }, () => new Map<string, AttributeValue>());
    for (const [key, column] of attributes) {
      forEachValue(column, first, end, (event, kind, number, exact) => {
        values[event - first]?.set(key, attributeOf(texts, kind, number, exact));
      });
    }
    for (let event = first; event < end; event++) {
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
        attributes: values[event - first] as ReadonlyMap<string, AttributeValue>,
      };
    }
  }
}

function* interactionsOf(session: Session): Generator<NeutralRecord> {
  const { probes, timelines, order, texts } = session;
  const reference = (line: number, event: number): EventReference => {
    const place = integerOf(session, 'seq', event) ?? BigInt(event - at(timelines.start, line));
    const probe = probes[at(timelines.probe, line)] as string;
    const name = texts[at(timelines.name, line)];
    return name === undefined ? [probe, place] : [probe, name, place];
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

/** The value that a column holds as this kind and number; `texts` are those of the session. */
function attributeOf(
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

/** The timeline id, logical time or event coordinate that `format` writes as this text. */
function otherValue(text: string): AttributeValue {
  const timelineId = parseUuid(text);
  if (timelineId !== undefined) return { type: 'timelineId', value: timelineId };
  return (parseFormatted(text, 'logicalTime') ??
    parseFormatted(text, 'eventCoordinate')) as AttributeValue;
}
