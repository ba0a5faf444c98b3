/*
 * A session in memory: events in columns, numbered probe by probe, and timeline by timeline within a probe (all of
 * a timeline in its order, then the next). An event is one number, and the events of a probe are one range, as are
 * those of a timeline.
 */

/** The kind of an attribute value of an event. */
export const ValueKind = {
  missing: 0,
  /** 64 bits, signed or unsigned; including nanoseconds, and big integers. */
  integer: 1,
  float: 2,
  string: 3,
  boolean: 4,
  /** A timeline id, a logical time or an event coordinate: compares only for equality. */
  other: 5,
} as const;

/** The names of an event's own parts among its attributes. */
export const RESERVED: readonly string[] = ['name', 'probe', 'seq', 'time'];

/** An ordinary attribute if no event names its timeline. */
export const TIMELINE = 'timeline';

/**
 * An attribute of all events. Its values of all kinds are in one column, because attributes mix integers and
 * floats, as JSON writes `5` and `5.1`, and readers query values by event, not events by kind.
 */
export interface Column {
  /** For each event, one of `Kind`. NaN is stored as missing. */
  readonly kinds: Uint8Array;
  /**
   * For each event: an integer (rounded where a double cannot hold it), a float, a boolean as
   * 0 or 1, or the index of a text in the session's `texts` (kinds string and other).
   */
  readonly numbers: Float64Array;
  /** The exact integers of the column, if doubles would round some; read by `integerAt`. */
  readonly exact?: ExactIntegers | undefined;
}

export interface ExactIntegers {
  /** For each event, its signed 64-bit integer; 0 if its value is something else. */
  readonly integers: BigInt64Array;
  /** By event, the integers that need more bits. */
  readonly bigIntegers: ReadonlyMap<number, bigint>;
}

/** Ranges of events, each in order from its first event to its last, ascending. */
export interface Timelines {
  /** For each timeline, its first event; the last entry is the number of events. */
  readonly start: Int32Array;
  /** The probe of each timeline, ascending. */
  readonly probe: Int32Array;
  /** The index of each timeline's name among the session's `texts`; -1 for an unnamed one. */
  readonly name: Int32Array;
}

/**
 * The order across timelines, as the DAG of receives: the events that an interaction from another timeline leads
 * to. Between two receives of a timeline the preceding events of other timelines stay the same, so the DAG is the
 * whole partial order. Arrays in compressed sparse rows.
 */
export interface Order {
  /** Receiving events, ascending, and so timeline by timeline. */
  readonly receives: Int32Array;
  /** The timeline of each receive. */
  readonly receiveTimeline: Int32Array;
  /** For each timeline, its first receive; one more entry at the end. */
  readonly receiveStart: Int32Array;
  /** For each receive, its first edge; one more entry at the end. */
  readonly edgeStart: Int32Array;
  /** The sending event of each edge. */
  readonly edgeFrom: Int32Array;
  /** The timeline of that event. */
  readonly edgeTimeline: Int32Array;
  /** The last receive at or before the sending event on its timeline, or -1. */
  readonly edgeReceive: Int32Array;
  /** All receives, each after its dependencies. */
  readonly topological: Int32Array;
}

/** A recorded session. */
export interface Session {
  readonly name?: string;
  readonly source?: string;
  readonly probes: readonly string[];
  /** For each probe, its first event; the last entry is the number of events. */
  readonly start: Int32Array;
  /** At least one for each probe. */
  readonly timelines: Timelines;
  /** The number of events. */
  readonly size: number;
  /**
   * By attribute name (dotted); `name`, `probe`, `seq` and `time` are among them if present, and
   * `timeline` if any timeline has a name.
   */
  readonly columns: ReadonlyMap<string, Column>;
  /** The texts that columns refer to, each once. */
  readonly texts: readonly string[];
  readonly order: Order;
  /** Facts about the reading of its files; absent for a session that was built event by event. */
  readonly reading?: ReadingFacts;
}

/** The orders that can be requested; `auto` depends on the recording. */
export const SESSION_ORDERS = ['auto', 'causal', 'time'] as const;

export type SessionOrder = (typeof SESSION_ORDERS)[number];

/** Facts about the reading of a session's files that concern the order of its events. */
export interface ReadingFacts {
  /** True for formats that make interactions, even if these files hold none. */
  readonly isCausal: boolean;
  /** The order that the session itself requests. */
  readonly order?: SessionOrder;
  /** The greatest difference between its clocks, in nanoseconds. */
  readonly skew?: bigint;
  /** For each event, the number of the recorder that wrote its file, else -1; absent without any. */
  readonly recorders?: Int32Array;
  /** For each event, its position among all events as read. */
  readonly readingPositions?: Int32Array;
}
