import { type AttributeValue, format } from '../values/index.js';
import { assemble } from './columns/assemble.js';
import type { GrowingColumn } from './columns/column.js';
import { EventTable } from './columns/event-table.js';
import { Problems, SessionError } from './problem.js';
import { RESERVED, type Session, TIMELINE, ValueKind } from './session.js';

/** An attribute value. A bigint is an integer; a number is a float. */
export type SessionValue = bigint | number | string | boolean | AttributeValue;

/** An event to add to a session. */
export interface NewEvent {
  readonly probe: string;
  /** A timeline of the probe, such as a request (default: the probe's unnamed timeline). */
  readonly timeline?: string;
  readonly name: string;
  /** The event's position on its timeline (default: in order of addition). */
  readonly seq?: number | bigint;
  /** The event's time in nanoseconds. */
  readonly time?: bigint;
  /**
   * Values by dotted name. The names `probe`, `name`, `seq` and `time` are reserved. So is `timeline`, if any event has
   * a timeline.
   */
  readonly attributes?: Readonly<Record<string, SessionValue>> | ReadonlyMap<string, SessionValue>;
}

/**
 * Builds a session event by event. `build` may be called repeatedly; each call takes time proportional to the session's
 * size.
 *
 * ```js
 * const builder = new SessionBuilder();
 * const sent = builder.event({ probe: 'GAZEBO', name: 'GUST', attributes: { force: 8.5 } });
 * const received = builder.event({ probe: 'AUTOPILOT', name: 'WIND' });
 * builder.interaction(sent, received);
 * const session = builder.build();
 * ```
 */
export class SessionBuilder {
  private readonly table = new EventTable();

  constructor(private readonly origin: { readonly name?: string; readonly source?: string } = {}) {}

  /** Adds an event. Returns the event's index, for use in interactions. */
  event({ probe, timeline, name, seq, time, attributes = {} }: NewEvent): number {
    const { table } = this;
    const entries = attributes instanceof Map ? [...attributes] : Object.entries(attributes);
    const reservedEntry = entries.find(
      ([key]) => RESERVED.includes(key) || (key === TIMELINE && timeline !== undefined),
    );
    if (reservedEntry !== undefined)
      throw new TypeError(`"${reservedEntry[0]}" is a reserved attribute name`);
    const exactSeq = seq === undefined ? undefined : BigInt(seq);
    if (exactSeq !== undefined && BigInt.asIntN(64, exactSeq) !== exactSeq) {
      throw new RangeError(`invalid seq ${exactSeq}: expected a 64-bit integer`);
    }
    const event = table.addEvent(probe, name, 0, timeline);
    if (exactSeq !== undefined) table.seq.addInteger(event, exactSeq);
    if (time !== undefined) table.time.addInteger(event, time);
    for (const [key, value] of entries) setValue(table, key, event, value);
    return event;
  }

  /**
   * Adds an interaction. Event `from` and all earlier events on its timeline then come before event `to` and all later
   * events on the timeline of `to`.
   */
  interaction(from: number, to: number): void {
    for (const event of [from, to]) {
      if (!(event >= 0 && event < this.table.size)) throw new RangeError(`no event ${event}`);
    }
    this.table.addInteraction(from, to, 0);
  }

  /** Returns the session so far. @throws {SessionError} if the events cannot be ordered */
  build(): Session {
    const problems = new Problems();
    const session = assemble(this.table, problems);
    if (problems.count > 0) throw new SessionError(problems.list);
    // Copied, because the builder's texts may grow, but a session is immutable.
    return { ...session, ...this.origin, texts: [...session.texts] };
  }
}

/** Adds an attribute value to an event; ignores NaN. */
export function setValue(table: EventTable, key: string, event: number, value: SessionValue): void {
  addValue(table, table.column(key), event, value);
}

/** True if sessions store the value as text, formatted by `format`. */
function isFormatted(
  value: AttributeValue,
): value is Extract<AttributeValue, { readonly type: (typeof FORMATTED_TYPES)[number] }> {
  return (FORMATTED_TYPES as readonly string[]).includes(value.type);
}

const FORMATTED_TYPES = ['timelineId', 'logicalTime', 'eventCoordinate'] as const;

/** Adds an event's value to a column of the table; ignores NaN. */
export function addValue(
  table: EventTable,
  column: GrowingColumn,
  event: number,
  value: SessionValue,
): void {
  if (typeof value === 'bigint') column.addInteger(event, value);
  else if (typeof value === 'boolean') column.add(event, ValueKind.boolean, value ? 1 : 0);
  else if (typeof value === 'string') column.add(event, ValueKind.string, table.numberOf(value));
  else if (typeof value === 'number') {
    if (!Number.isNaN(value)) column.add(event, ValueKind.float, value);
  } else if (isFormatted(value)) {
    column.add(event, ValueKind.other, table.numberOf(format(value)));
  } else addValue(table, column, event, value.value);
}
