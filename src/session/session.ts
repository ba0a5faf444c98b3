/*
 * A session in memory. Events are identified by index, and their attributes are stored in columns. Events are sorted by
 * probe, then by timeline, then in the timeline's order. The events of a probe therefore form a range, as do the events
 * of a timeline.
 */

/** The kinds of attribute values. */
export const ValueKind = {
  missing: 0,
  /** An integer of any size, including nanoseconds. */
  integer: 1,
  float: 2,
  string: 3,
  boolean: 4,
  /** A timeline id, a logical time or an event coordinate. Only tests for equality are possible. */
  other: 5,
} as const;

/** The attribute names reserved for an event's parts. */
export const RESERVED: readonly string[] = ['name', 'probe', 'seq', 'time'];

/** An attribute name that is reserved if any event has a timeline name. */
export const TIMELINE = 'timeline';

/**
 * One attribute's values for all events. Values of all kinds share a column, because attributes mix kinds, such as the
 * integer `5` and the float `5.1` in JSON, and readers look up values by event.
 */
export interface Column {
  /** For each event, a `ValueKind`. NaN is stored as missing. */
  readonly kinds: Uint8Array;
  /**
   * For each event, an integer (rounded if it does not fit a double), a float, a boolean as 0 or 1, or an index into
   * the session's `texts` (kinds `string` and `other`).
   */
  readonly numbers: Float64Array;
  /** The column's exact integers, if doubles would round any of them. Use `integerAt` to read an integer. */
  readonly exact?: ExactIntegers | undefined;
}

export interface ExactIntegers {
  /** For each event, its signed 64-bit integer; 0 for any other value. */
  readonly integers: BigInt64Array;
  /** The integers that do not fit in 64 bits, by event. */
  readonly bigIntegers: ReadonlyMap<number, bigint>;
}

/** The timelines, as ascending ranges of events. The events of each range are in order. */
export interface Timelines {
  /** For each timeline, its first event; the last entry is the number of events. */
  readonly start: Int32Array;
  /** The probe of each timeline, ascending. */
  readonly probe: Int32Array;
  /** For each timeline, the index of its name in the session's `texts`; -1 if unnamed. */
  readonly name: Int32Array;
}

/**
 * The order across timelines, as a directed acyclic graph of receives. A receive is an event with an interaction from
 * another timeline. Between two receives of a timeline, the preceding events of other timelines stay the same, so the
 * graph defines the whole partial order. Edges are stored as compressed sparse rows.
 */
export interface Order {
  /** The receiving events, ascending, and therefore grouped by timeline. */
  readonly receives: Int32Array;
  /** The timeline of each receive. */
  readonly receiveTimeline: Int32Array;
  /** For each timeline, its first receive; the last entry is the number of receives. */
  readonly receiveStart: Int32Array;
  /** For each receive, its first edge; the last entry is the number of edges. */
  readonly edgeStart: Int32Array;
  /** The sending event of each edge. */
  readonly edgeFrom: Int32Array;
  /** The timeline of each edge's sending event. */
  readonly edgeTimeline: Int32Array;
  /** For each edge, the last receive on the sending event's timeline up to and including that event; -1 if none. */
  readonly edgeReceive: Int32Array;
  /** The receives in topological order. */
  readonly topological: Int32Array;
}

/** A recorded session. */
export interface Session {
  readonly name?: string;
  readonly source?: string;
  readonly probes: readonly string[];
  /** For each probe, its first event; the last entry is the number of events. */
  readonly start: Int32Array;
  /** The timelines. Each probe has at least one timeline. */
  readonly timelines: Timelines;
  /** The number of events. */
  readonly size: number;
  /**
   * The columns by dotted attribute name, including `name`, `probe`, `seq` and `time` if present, and `timeline` if any
   * timeline has a name.
   */
  readonly columns: ReadonlyMap<string, Column>;
  /** The distinct texts of all columns. */
  readonly texts: readonly string[];
  readonly order: Order;
  /** Facts about the session's files; absent for a session built event by event. */
  readonly reading?: ReadingFacts;
}

/** The orders that a session can request. `auto` depends on the recording. */
export const SESSION_ORDERS = ['auto', 'causal', 'time'] as const;

export type SessionOrder = (typeof SESSION_ORDERS)[number];

/** Facts about a session's files that affect the order of events. */
export interface ReadingFacts {
  /** True if any file's format can contain interactions, even if the files contain none. */
  readonly isCausal: boolean;
  /** The order requested by the session's files. */
  readonly order?: SessionOrder;
  /** The maximum difference between the session's clocks, in nanoseconds. */
  readonly skew?: bigint;
  /** For each event, its recorder's index; -1 if none. Absent if no event has a recorder. */
  readonly recorders?: Int32Array;
  /** For each event, its position in reading order. */
  readonly readingPositions?: Int32Array;
}
