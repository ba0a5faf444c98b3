/** A kind of event: its probe and its name. The end of a span is a different kind from its start. */
export interface EventKind {
  readonly probe: string;
  readonly name: string;
  readonly isEnd: boolean;
}

/** The link between two events: a message, or a common timeline. */
export type EventTie = 'message' | 'timeline';

export type Statistic = 'mean' | 'max';

/** A numeric property of a session. */
export type SessionFeature =
  /** Number of events of a kind. */
  | { readonly kind: 'count'; readonly event: EventKind }
  /** The share of a kind's events that receive a message from an event of another kind. */
  | { readonly kind: 'message'; readonly from: EventKind; readonly to: EventKind }
  /** Of the pairs of nearest events of two kinds, the share in which the first kind comes first. */
  | { readonly kind: 'order'; readonly first: EventKind; readonly then: EventKind }
  /** The nanoseconds from an event to the receiver of its message, or to the next event of a kind on its timeline. */
  | {
      readonly kind: 'latency';
      readonly from: EventKind;
      readonly to: EventKind;
      readonly tie: EventTie;
      readonly statistic: Statistic;
    }
  /** A numeric attribute of a kind's events. */
  | {
      readonly kind: 'number';
      readonly event: EventKind;
      readonly attribute: string;
      readonly statistic: Statistic;
    }
  /** The share of a kind's events in which an attribute has a value, or any value if none is given. */
  | {
      readonly kind: 'value';
      readonly event: EventKind;
      readonly attribute: string;
      readonly value?: string;
    };

/** A feature with its value in each session; NaN where a session has none. */
export interface MeasuredFeature {
  readonly feature: SessionFeature;
  readonly values: readonly number[];
}
