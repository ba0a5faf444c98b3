/** A kind of event, identified by probe and name. The start and the end of a span are different kinds. */
export interface EventKind {
  readonly probe: string;
  readonly name: string;
  readonly isEnd: boolean;
}

/** A link between two events: a message, or a common timeline. */
export type EventLink = 'message' | 'timeline';

export type Statistic = 'mean' | 'max';

/** A numeric property of a session. */
export type SessionFeature =
  /** Number of events of a kind. */
  | { readonly kind: 'count'; readonly event: EventKind }
  /** The share of a kind's events that receive a message from an event of another kind. */
  | { readonly kind: 'message'; readonly from: EventKind; readonly to: EventKind }
  /** Among pairs of nearest events of two kinds, the share of pairs in which `first` precedes `then`. */
  | { readonly kind: 'order'; readonly first: EventKind; readonly then: EventKind }
  /**
   * The latency in nanoseconds from an event to the receiver of its message, or to the next `to` event on the same
   * timeline.
   */
  | {
      readonly kind: 'latency';
      readonly from: EventKind;
      readonly to: EventKind;
      readonly tie: EventLink;
      readonly statistic: Statistic;
    }
  /** A numeric attribute of a kind's events. */
  | {
      readonly kind: 'number';
      readonly event: EventKind;
      readonly attribute: string;
      readonly statistic: Statistic;
    }
  /** The share of a kind's events whose attribute equals `value` or, if `value` is absent, that have the attribute. */
  | {
      readonly kind: 'value';
      readonly event: EventKind;
      readonly attribute: string;
      readonly value?: string;
    };

/** A feature with its value in each session, NaN for a session without a value. */
export interface MeasuredFeature {
  readonly feature: SessionFeature;
  readonly values: readonly number[];
}
