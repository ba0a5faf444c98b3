import type { ImportedAttributes } from './attributes.js';

/** What traces are made of, whatever format they come in. */
export interface Span {
  readonly service: string;
  readonly trace: string;
  readonly id: string;
  readonly name: string;
  /** Nanoseconds. */
  readonly start: bigint;
  /** Absent where the span was never ended. */
  readonly end?: bigint;
  readonly parent?: SpanKey;
  /** Spans that this one follows without being a part of them. */
  readonly links: readonly SpanKey[];
  /** Of both its events. */
  readonly attributes: ImportedAttributes;
  /**
   * Distinguishes the halves of a span that two services share. `receiver` is the later half,
   * and the parent of the span's children.
   */
  readonly half?: 'receiver';
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
}

/** What a file of traces holds. */
export interface Traces {
  readonly spans: readonly Span[];
  readonly moments: readonly Moment[];
}
