/** A kind of event: its probe and its name. The end of a span is another kind than its start. */
export interface EventKind {
  readonly probe: string;
  readonly name: string;
  readonly isEnd: boolean;
}

/** The link between two events: a message, or a common timeline. */
export type EventTie = 'message' | 'timeline';

export type Statistic = 'mean' | 'max';

/** Something about a session that is a number. */
export type SessionFeature =
  /** Number of events of a kind. */
  | { readonly kind: 'count'; readonly event: EventKind }
  /** The share of events of a kind that receive a message from one of another. */
  | { readonly kind: 'message'; readonly from: EventKind; readonly to: EventKind }
  /** The share of events of two kinds, each with the nearest one of the other, in which the first comes first. */
  | { readonly kind: 'order'; readonly first: EventKind; readonly then: EventKind }
  /**
   * The time from an event to one that receives its message, or to the next one of another kind on its timeline, in
   * nanoseconds.
   */
  | {
      readonly kind: 'latency';
      readonly from: EventKind;
      readonly to: EventKind;
      readonly tie: EventTie;
      readonly statistic: Statistic;
    }
  /** A number among the attributes of events of a kind. */
  | {
      readonly kind: 'number';
      readonly event: EventKind;
      readonly attribute: string;
      readonly statistic: Statistic;
    }
  /** The share of events of a kind that have a value of an attribute; any value without one. */
  | {
      readonly kind: 'value';
      readonly event: EventKind;
      readonly attribute: string;
      readonly value?: string;
    };

/** A feature, and its value in each session; NaN where it has none. */
export interface MeasuredFeature {
  readonly feature: SessionFeature;
  readonly values: readonly number[];
}
